// What was said in the room, from the oldest that was fetched to what is being written.
import { Icon } from "../../components/icon.js";
import { t } from "../../texts.js";
import { html, useEffect, useLayoutEffect, useRef } from "../../vendor/index.js";
import { hasOlder, isOlderFailed, isOpened, loadOlder, open, say, scroll, timeline, trouble } from "./conversation.js";
import { openRoom } from "./rooms.js";
import { RowView } from "./row.js";

const SUGGESTIONS = ["1", "2", "3", "4"];

export function Messages() {
  const scroller = useRef(/** @type {any} */ (null));
  const list = useRef(/** @type {any} */ (null));
  const rows = timeline.rows.value;
  useLayoutEffect(() => scroll.attach(scroller.current, list.current), []);
  useLayoutEffect(() => scroll.settle(), [rows]);
  return html`
    <div class="scroll-frame">
      <div id="scroller" ref=${scroller} role="region" aria-label=${t("console-conversation")} tabindex="0">
        ${rows.length > 0 && html`<${Older} scroller=${scroller} />`}
        <ol id="timeline" ref=${list}>${rows.map((row) => html`<${RowView} key=${row.uid} row=${row} />`)}</ol>
        ${isOpened.value && rows.length === 0 && html`<${Welcome} />`}
        ${trouble.value && html`
          <section id="notice">
            <p role="alert">${trouble.value}</p>
            <button type="button" class="button" onClick=${() => open(openRoom.peek())}>${t("console-try-again")}</button>
          </section>`}
      </div>
      <${ToEnd} />
    </div>`;
}

/** Comes into sight when the person scrolls up, and fetches more. @param {{ scroller: { current: Element } }} props */
function Older({ scroller }) {
  const line = useRef(/** @type {any} */ (null));
  const [hasMore, count] = [hasOlder.value, timeline.rows.value.length];
  useEffect(() => {
    if (!hasMore) return undefined;
    // Observing again reports at once if the line is still in sight, so short pages keep loading.
    const sight = new IntersectionObserver(([entry]) => {
      if (entry.isIntersecting) loadOlder();
    }, { root: scroller.current, rootMargin: "600px 0px 0px" });
    sight.observe(line.current);
    return () => sight.disconnect();
  }, [hasMore, count, openRoom.value]);
  const text = !hasMore ? "console-conversation-start" : isOlderFailed.value ? "console-loading-older-failed" : "console-loading-older";
  return html`<p id="older" ref=${line}>${t(text)}</p>`;
}

const Welcome = () => html`
  <section id="welcome">
    <img src="/static/favicon.svg" alt="" width="48" height="48" />
    <h2>${t("console-welcome-title")}</h2>
    <p>${t("console-welcome-sentence")}</p>
    <div class="chips">
      ${SUGGESTIONS.map((number) => html`
        <button type="button" class="chip" onClick=${() => say(t(`console-suggestion-${number}`))}>${t(`console-suggestion-${number}`)}</button>`)}
    </div>
  </section>`;

/** Brings the person back down. */
const ToEnd = () => html`
  <button id="to-end" type="button" class=${scroll.hasNews.value ? "fresh" : null} hidden=${scroll.isStuck.value} onClick=${scroll.toEnd}>
    <span>${t("console-new-messages")}</span>
    <${Icon} name="down" />
    <span class="unseen">${t("console-to-end")}</span>
  </button>`;
