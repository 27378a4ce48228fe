// The buttons under a line that asks for a decision. A card that was decided has none any more, in every browser at once.
import * as api from "../../api.js";
import { html, useLayoutEffect, useRef, useState } from "../../vendor/index.js";
import { openRoom } from "./rooms.js";

// What is written next is meant: the name of "Create new", or an answer in one's own words to a question of a plan.
const ASKS_FOR_WORDS = /(:create$)|(^iq:t:)/;

/** @param {{ line: string | undefined, buttons: import("api").Button[] }} props */
export function Choices({ line, buttons }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const isPressing = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState({ text: "", isProblem: false });
  const count = useRef(buttons.length);
  const drawn = JSON.stringify(buttons);
  count.current = buttons.length;

  const hadFocus = place.current?.contains(document.activeElement) ?? false; // As it is before this is drawn.
  useLayoutEffect(() => {
    setTold({ text: "", isProblem: false });
    if (!hadFocus || place.current?.contains(document.activeElement)) return;
    // The next question is where the last one was: Tab leads to its first choice, and a second Enter answers nothing.
    const next = buttons.length > 0 ? place.current : document.getElementById("scroller");
    next?.focus({ preventScroll: true });
  }, [drawn]);

  /** @param {string} data */
  async function press(data) {
    if (isPressing.current) return;
    isPressing.current = true;
    setBusy(true);
    setTold({ text: "", isProblem: false });
    try {
      const { text, taken } = await api.pressButton(openRoom.peek(), line ?? "", data);
      // The line itself says what was decided, and may have come before this answer.
      if (!taken || count.current) setTold({ text, isProblem: !taken });
      if (taken && ASKS_FOR_WORDS.test(data)) document.getElementById("text")?.focus();
    } catch (error) {
      setTold({ text: /** @type {Error} */ (error).message, isProblem: true });
    } finally {
      isPressing.current = false;
      setBusy(false);
    }
  }

  return html`
    <div class="choices" ref=${place} tabindex="-1" aria-busy=${isBusy ? "true" : null}>
      ${rowsOf(buttons).map((row) => html`
        <div class="choice-row" key=${row[0].data}>${row.map(({ label, data }) => html`
          <button type="button" class="button" key=${data} onClick=${() => press(data)}>${label}</button>`)}
        </div>`)}
    </div>
    <p class=${told.isProblem ? "pressed problem" : "pressed"} role="status">${told.text}</p>`;
}

/** Those that belong side by side; a card that names no rows has one. @param {import("api").Button[]} buttons */
function rowsOf(buttons) {
  /** @type {import("api").Button[][]} */
  const rows = [];
  for (const button of buttons) {
    const last = rows.at(-1);
    if (last && last[0].row === button.row) last.push(button);
    else rows.push([button]);
  }
  return rows;
}
