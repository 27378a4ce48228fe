// What was done last, in a sentence. The focus stays where something was removed.
import { html, useLayoutEffect, useRef, useState } from "../vendor/index.js";

/**
 * @typedef {{ text: string, line: { current: HTMLElement | null }, say: (text: string) => void, focus: () => void,
 *   leave: (card: Element, control: string) => void }} Settling
 */

/** @param {string} [first] @returns {Settling} */
export function useSettled(first = "") {
  const [text, say] = useState(first);
  const line = useRef(/** @type {HTMLElement | null} */ (null));
  const focus = () => { setTimeout(() => line.current?.focus()); }; // It is in sight only when it says something.
  const leave = (/** @type {Element} */ card, /** @type {string} */ control) => {
    const next = neighbour(card, control);
    if (next) next.focus();
    else focus();
  };
  return { text, line, say, focus, leave };
}

/** @param {{ settled: Settling }} props */
export const Settled = ({ settled }) => html`<p class="settled done" role="status" tabindex="-1" ref=${settled.line}>${settled.text}</p>`;

/**
 * When what had the focus goes with the next drawing of `place`, it moves on instead of being lost.
 * @param {{ current: HTMLElement | null }} place
 * @param {() => HTMLElement | null | undefined} next
 */
export function useKeptFocus(place, next) {
  const hadFocus = place.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    if (hadFocus && !place.current?.contains(document.activeElement)) next()?.focus();
  });
}

/**
 * Where to go on when a card goes: in the card after it, or else in the one before.
 * @param {Element} card
 * @param {string} control what can have the focus there
 * @returns {HTMLElement | null}
 */
function neighbour(card, control) {
  const place = card.closest("li");
  return (place?.nextElementSibling ?? place?.previousElementSibling)?.querySelector(control) ?? null;
}
