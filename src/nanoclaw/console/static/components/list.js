// A list of things that the host gave: while it is asked, when there is nothing, when it went wrong, and when there is more.
import { t } from "../texts.js";
import { html } from "../vendor/index.js";

/**
 * `lookup` is what useLookup gave. `items` are null before the first answer; `keyOf` names each of them for good, so
 * that its element, its focus and what was written in it stay with it. `draw` makes the card, or the row, of one.
 * @template T
 * @param {{ items: T[] | null, keyOf: (item: T) => string | number, draw: (item: T) => unknown, none?: string,
 *   problem?: string, label?: string, class?: string, more?: boolean, moreText?: string, onMore?: () => void }} props
 */
export function List({ items, keyOf, draw, none = "", problem = "", label, class: name = "cards", more = false, moreText, onMore }) {
  return html`
    <${Sentence} text=${problem || (items ? (items.length ? "" : none) : t("console-loading"))} />
    ${items && items.length > 0 && html`
      <ul class=${name} aria-label=${label}>
        ${items.map((item) => html`<li key=${keyOf(item)}>${draw(item)}</li>`)}
      </ul>`}
    ${more && html`<button type="button" class="button more" onClick=${onMore}>${moreText ?? t("console-more")}</button>`}`;
}

/**
 * The same for what is compared line by line. On a phone each row becomes a small card.
 * @template T
 * @typedef {{ title: string, class?: string, draw: (item: T) => unknown }} Column
 */

/**
 * @template T
 * @param {{ items: T[] | null, keyOf: (item: T) => string | number, columns: Column<T>[], none?: string, problem?: string,
 *   label?: string, class?: string, rowOf?: (item: T) => Record<string, unknown>, below?: (item: T) => unknown,
 *   more?: boolean, moreText?: string, onMore?: () => void }} props
 */
export function Table({ items, keyOf, columns, none = "", problem = "", label, class: name = "ledger", rowOf, below, more = false, moreText, onMore }) {
  const rows = (items ?? []).flatMap((item) => {
    const row = html`
      <tr key=${keyOf(item)} ...${rowOf?.(item)}>
        ${columns.map((column) => html`<td class=${column.class}>${column.draw(item)}</td>`)}
      </tr>`;
    const opened = below?.(item);
    return opened ? [row, html`<tr key=${`${keyOf(item)} below`} class="detail"><td colspan=${columns.length}>${opened}</td></tr>`] : [row];
  });
  return html`
    ${rows.length > 0 && html`
      <table class=${name} aria-label=${label}>
        <thead><tr>${columns.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead>
        <tbody>${rows}</tbody>
      </table>`}
    <${Sentence} text=${problem || (items ? (items.length ? "" : none) : t("console-loading"))} />
    ${more && html`<button type="button" class="button more" onClick=${onMore}>${moreText ?? t("console-more")}</button>`}`;
}

/** Said to screen readers as well, when it changes. @param {{ text: string }} props */
export const Sentence = ({ text }) => html`<p class="sentence" role="status">${text}</p>`;
