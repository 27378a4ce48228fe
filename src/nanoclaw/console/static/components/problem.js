// What went wrong, where it went wrong. It is said aloud, and brought into sight: on a phone a card is longer than the screen.
import { html, useEffect, useRef } from "../vendor/index.js";

/** @param {{ text: string, id?: string }} props */
export function Problem({ text, id }) {
  const line = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => { if (text) line.current?.scrollIntoView({ block: "nearest" }); }, [text]);
  return html`<p class="problem" role="alert" id=${id} ref=${line}>${text}</p>`;
}
