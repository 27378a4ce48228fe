// The buttons under a line that asks for a decision. A card that was decided has none any more, in every browser at once.
import * as api from "../../api.js";
import { html, useLayoutEffect, useRef, useState } from "../../vendor/index.js";
import { openRoom } from "./rooms.js";

const ASKS_FOR_NAME = ":create"; // How the data of "Create new" ends: what is written next is the name.

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
    if (hadFocus && !place.current?.contains(document.activeElement)) document.getElementById("scroller")?.focus({ preventScroll: true });
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
      if (taken && data.endsWith(ASKS_FOR_NAME)) document.getElementById("text")?.focus();
    } catch (error) {
      setTold({ text: /** @type {Error} */ (error).message, isProblem: true });
    } finally {
      isPressing.current = false;
      setBusy(false);
    }
  }

  return html`
    <div class="choices" ref=${place} aria-busy=${isBusy ? "true" : null}>
      ${buttons.map(({ label, data }) => html`
        <button type="button" class="button" key=${data} onClick=${() => press(data)}>${label}</button>`)}
    </div>
    <p class=${told.isProblem ? "pressed problem" : "pressed"} role="status">${told.text}</p>`;
}
