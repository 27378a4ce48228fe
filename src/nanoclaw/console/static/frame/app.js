// The frame of the page: the bar with the way to everything, and beside it the page that the address names.
import { Doubts } from "../components/dialog.js";
import { keepCounting } from "../counts.js";
import { open } from "../pages/chats/conversation.js";
import { put } from "../pages/chats/rooms.js";
import { boot, t } from "../texts.js";
import { html } from "../vendor/index.js";
import { Bar } from "./bar.js";
import { Outlet } from "./outlet.js";

// The conversation is opened whatever page is shown: its stream brings the news of all.
export function begin() {
  boot.rooms.forEach(put);
  if (boot.room) open(boot.room);
  keepCounting();
}

export const App = () => html`
  <a class="skip" href="#main" onClick=${skip}>${t("console-skip")}</a>
  <${Bar} />
  <div class="stage">
    ${boot.held && html`<p id="held" class="held" role="status">${t("console-held")}</p>`}
    <${Outlet} />
  </div>
  <${Doubts} />`;

/** To the box where the person writes, or to the heading of the page. @param {Event} event */
function skip(event) {
  event.preventDefault();
  /** @type {HTMLElement | null} */ (document.querySelector("#text") ?? document.querySelector("#main h1"))?.focus();
}
