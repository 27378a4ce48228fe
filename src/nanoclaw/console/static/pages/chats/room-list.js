// The list of rooms: which there are, which have something new, and a way to make one.
import { Icon, IconButton } from "../../components/icon.js";
import { useFocus, useTitle } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useRef } from "../../vendor/index.js";
import { askForRoom } from "./room-title.js";
import { openRoom, rooms, unread } from "./rooms.js";

export const roomPath = (/** @type {string} */ id) => to`/chats/${id}`;

/** Beside the conversation. */
export const RoomList = () => html`
  <aside id="sidebar" aria-label=${t("console-rooms")}>
    <div class="sidebar-head"><h2>${t("console-rooms")}</h2><${NewRoom} /></div>
    <${Rooms} />
  </aside>`;

/** Where the conversation has no place beside it. */
export function RoomPage() {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useTitle(t("console-nav-chats"));
  useFocus(heading);
  return html`
    <main id="main" class="room-page">
      <header class="page-head"><h1 tabindex="-1" ref=${heading}>${t("console-rooms")}</h1><${NewRoom} /></header>
      <${Rooms} />
    </main>`;
}

const NewRoom = () => html`<${IconButton} icon="plus" label=${t("console-room-new")} onClick=${askForRoom} />`;

const Rooms = () => html`
  <ul id="rooms">
    ${rooms.value.map((room) => html`
      <li key=${room.id} data-id=${room.id}>
        <a href=${roomPath(room.id)} aria-current=${room.id === openRoom.value ? "page" : null}>
          <${Icon} name=${room.channel} />
          <bdi>${room.title}</bdi>
          ${room.last_at && html`<${Time} at=${room.last_at} />`}
          ${unread.value.has(room.id) && html`<span class="dot"><span class="unseen">${t("console-unread")}</span></span>`}
        </a>
      </li>`)}
  </ul>`;
