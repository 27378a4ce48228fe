// Bars that lie, one group under the other, each with its number: as wide as there is room, in either theme.
import { html } from "../vendor/index.js";

const LINE = 20; // for the name of a group
const BAR = 16; // for one bar with its number
const GAP = 10;
const WIDEST = 74; // percent, so that the number after the longest bar has room

/** @typedef {{ share: number, text: string, label: string, class: string }} Bar `share` of the longest one. */
/** @typedef {{ name: string, bars: Bar[] }} Group */

/** @param {{ title: string, groups: Group[], legend?: { class: string, text: string }[] }} props */
export function Plot({ title, groups, legend = [] }) {
  /** @type {unknown[]} */
  const drawn = [];
  /** @type {string[]} */
  const said = [];
  let y = 0;
  for (const { name, bars } of groups) {
    drawn.push(html`<text class="bar-name" x="0" y=${y + 14}>${name}</text>`);
    y += LINE;
    for (const bar of bars) {
      const width = bar.share * WIDEST;
      const told = `${name}, ${bar.label}: ${bar.text}`;
      drawn.push(html`
        <rect class=${bar.class} x="0" y=${y + 2} width=${`${width}%`} height=${BAR - 6} rx="2"><title>${told}</title></rect>
        <text class="bar-value" x=${`${width}%`} dx=${width ? 6 : 0} y=${y + 11}>${bar.text}</text>`);
      said.push(told);
      y += BAR;
    }
    y += GAP;
  }
  return html`
    <figure class="plot">
      <figcaption>
        <span>${title}</span>
        ${legend.map((entry) => html` <span class="legend" data-bar=${entry.class}>${entry.text}</span>`)}
      </figcaption>
      <svg class="bars" role="img" width="100%" height=${Math.max(y - GAP, 1)} aria-label=${`${title}. ${said.join("; ")}`}>${drawn}</svg>
    </figure>`;
}
