// One message of the conversation: who said it, what, with which files and buttons, and what becomes of it.
import * as api from "../../api.js";
import { Files } from "../../components/files.js";
import { Icon } from "../../components/icon.js";
import { Markup } from "../../components/markup.js";
import { Time } from "../../components/time.js";
import { to } from "../../router.js";
import { clock, t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { ActivityView } from "./activity-view.js";
import { Choices } from "./choices.js";
import { activity, stop } from "./conversation.js";

/** @typedef {import("./timeline.js").Item} Item */

// An answered or delivered message speaks for itself; these states need a word.
const NAMED_STATES = [
  "sending", "waiting", "running", "streaming", "refused", "failed", "silent", "stopped", "pending", "held", "kept", "dropped",
];

/** The agent and the host have no names of their own; they are called what they are, in the person's language. @param {Item} item */
export const nameOf = ({ author, name }) => name || t(author === "agent" ? "console-agent" : "console-product");

/** @param {{ row: import("./timeline.js").Row }} props */
export function RowView({ row }) {
  const item = row.item.value;
  const { day, continues, quote } = row.around.value;
  const done = activity.shownIn(item.turn, row.uid);
  const name = ["row", continues && "continues", row.isArriving && "arriving"].filter(Boolean).join(" ");
  return html`
    ${day && html`<li class="day" key="day"><span>${day}</span></li>`}
    <li key="row" class=${name} data-author=${item.author} data-state=${item.state} data-id=${item.id ?? ""}>
      <p class="name"><bdi>${nameOf(item)}</bdi></p>
      <blockquote class="quote" dir="auto">${quote}</blockquote>
      <${Bubble} item=${item} />
      <${Choices} line=${item.id} buttons=${item.buttons ?? []} />
      <div class="activity-slot">${done && html`<${ActivityView} done=${done} />`}</div>
      <${Meta} item=${item} />
    </li>`;
}

/** @param {{ item: Item }} props */
function Bubble({ item }) {
  const files = item.attachments ?? [];
  const isEmpty = !item.html && !item.text && files.length === 0;
  return html`
    <div class="bubble" dir="auto">
      ${isEmpty ? html`<p class="dots"><i></i><i></i><i></i></p>` : html`<${Markup} source=${item.html} text=${item.text} />`}
      ${files.length > 0 && html`<${Files} files=${files} />`}
    </div>`;
}

/** @param {{ item: Item }} props */
function Meta({ item }) {
  // What an agent says between answers belongs to no message, so there is nothing to explain.
  const isExplained = item.id && item.author !== "host" && (item.author !== "agent" || item.reply_to);
  const [retried, setRetried] = useState(/** @type {Item | null} */ (null));
  const [problem, setProblem] = useState("");
  const isRetrying = retried === item; // Until the stream brings the message's new state.
  async function retry() {
    setProblem("");
    setRetried(item);
    try {
      await api.retryMessage(item.id ?? "");
    } catch (error) {
      setRetried(null);
      setProblem(/** @type {Error} */ (error).message);
    }
  }
  return html`
    <p class="meta">
      ${item.at && html`<${Time} at=${item.at} text=${clock(item.at)} />`}
      <span class="state">${problem || stateText(item)}</span>
      ${item.isUnderWay && html`
        <button type="button" class="stop" title=${t("console-stop-title")} disabled=${Boolean(item.isStopping)} onClick=${stop}>
          <${Icon} name="stop" /><span>${t("console-stop")}</span>
        </button>`}
      ${item.state === "failed" && html`
        <button type="button" class="link" disabled=${isRetrying} onClick=${retry}>${t("console-retry")}</button>`}
      ${isExplained && html`<a class="link why" href=${to`/why/${item.id ?? ""}`}>${t("console-why")}</a>`}
    </p>`;
}

/** @param {Item} item */
function stateText({ state, place }) {
  if (state === "waiting" && place) return t("console-state-waiting-place", { place });
  return NAMED_STATES.includes(state) ? t(`console-state-${state}`) : "";
}
