// The chats: rooms at the side, one conversation, the box to write in. In a narrow window the rooms are a page of their own.
import { IconButton, IconLink } from "../../components/icon.js";
import { useFocus, useTitle } from "../../components/page.js";
import { path } from "../../router.js";
import { t } from "../../texts.js";
import { html, signal, useEffect, useRef } from "../../vendor/index.js";
import { AwayBanner } from "./away.js";
import { Composer } from "./composer.js";
import * as conversation from "./conversation.js";
import { Messages } from "./messages.js";
import { RoomList, RoomPage } from "./room-list.js";
import { askForRoom, askForTitle, TitleDialogs } from "./room-title.js";
import { nameOf } from "./row.js";
import * as rooms from "./rooms.js";

const wide = matchMedia("(min-width: 960px)");
const isWide = signal(wide.matches);
wide.addEventListener("change", () => { isWide.value = wide.matches; });

/** @param {{ room?: string }} props */
export default function Chats({ room }) {
  const open = rooms.openRoom.value;
  const wanted = room ?? (rooms.find(open) ? open : rooms.rooms.value[0]?.id ?? "");
  const isListOnly = path.value === "/chats" && !isWide.value;
  useEffect(() => {
    if (wanted && wanted !== rooms.openRoom.peek()) conversation.open(wanted);
    if (!wanted) askForRoom(); // A host without any room.
  }, [wanted]);
  useEffect(() => { if (!isListOnly) rooms.noteSeen(wanted); }, [wanted, isListOnly]);
  return html`
    <div id="chat" class="chat">
      ${isListOnly ? html`<${RoomPage} />` : html`
        ${isWide.value && html`<${RoomList} />`}
        <${Conversation} />`}
      <${TitleDialogs} />
    </div>`;
}

function Conversation() {
  const room = rooms.find(rooms.openRoom.value);
  const answer = conversation.newest.value;
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const title = room?.title ?? t("console-nav-chats");
  useTitle(title);
  useFocus(heading);
  return html`
    <main id="main">
      <header class="room-head">
        ${!isWide.value && html`<${IconLink} icon="back" label=${t("console-rooms-open")} href="/chats">
          ${rooms.hasUnread.value && html`<span class="dot"></span>`}
        <//>`}
        <h1 id="room-title" dir="auto" tabindex="-1" ref=${heading}>${title}</h1>
        ${room && html`<${IconButton} icon="pencil" label=${t("console-room-rename")} onClick=${() => askForTitle(room)} />`}
        ${room && html`<${IconLink} icon="away" label=${t("console-transfer-take")} href=${`/transfers?take=${room.id}`} />`}
        <p id="connection" role="status">${conversation.isReconnecting.value ? t("console-reconnecting") : ""}</p>
      </header>
      ${room && html`<${AwayBanner} key=${room.id} room=${room.id} />`}
      <${Messages} />
      ${room && html`<${Composer} send=${conversation.send} stop=${conversation.stop} />`}
      <div id="announcer" class="unseen" aria-live="polite">${answer && conversation.announcement(answer, nameOf(answer))}</div>
    </main>`;
}
