// Columns that stand side by side, one for each day: how a sum grew and shrank. As wide as there is room, in either theme.
import { html } from "../vendor/index.js";

const HEIGHT = 150;
const TOP = 18; // for the amount of the highest one
const BOTTOM = 20; // for the days

/** @typedef {{ name: string, value: number, text: string }} Day */

/** @param {{ title: string, days: Day[] }} props */
export function DayPlot({ title, days }) {
  const most = Math.max(...days.map(({ value }) => value), 0);
  const highest = days.find(({ value }) => value === most);
  const width = 100 / days.length;
  const columns = days.map((day, index) => {
    // What cost anything is seen, however little it was.
    const height = day.value > 0 ? Math.max((day.value / most) * (HEIGHT - TOP - BOTTOM), 2) : 0;
    return html`
      <g class="day">
        <rect class="reach" x=${`${index * width}%`} y=${TOP} width=${`${width}%`} height=${HEIGHT - TOP - BOTTOM}><title>${`${day.name}: ${day.text}`}</title></rect>
        <rect class="column" x=${`${(index + 0.1) * width}%`} y=${HEIGHT - BOTTOM - height} width=${`${width * 0.8}%`} height=${height} rx="1.5" />
      </g>`;
  });
  const told = days.filter(({ value }) => value > 0).map(({ name, text }) => `${name}: ${text}`).join("; ");
  return html`
    <figure class="plot">
      <figcaption><span>${title}</span></figcaption>
      <svg class="days" role="img" width="100%" height=${HEIGHT} aria-label=${`${title}. ${told}`}>
        <line class="ground" x1="0" x2="100%" y1=${HEIGHT - BOTTOM} y2=${HEIGHT - BOTTOM} />
        ${columns}
        ${highest && most > 0 && html`<${Amount} index=${days.indexOf(highest)} count=${days.length} text=${highest.text} />`}
        <text class="bar-name" x="0" y=${HEIGHT - 4}>${days[0]?.name}</text>
        ${days.length > 1 && html`<text class="bar-name" x="100%" y=${HEIGHT - 4} text-anchor="end">${days[days.length - 1].name}</text>`}
      </svg>
    </figure>`;
}

/** Above the highest column, and never beyond an edge. @param {{ index: number, count: number, text: string }} props */
function Amount({ index, count, text }) {
  const middle = (index + 0.5) / count;
  const anchor = middle < 0.1 ? "start" : middle > 0.9 ? "end" : "middle";
  const x = anchor === "start" ? 0 : anchor === "end" ? 100 : middle * 100;
  return html`<text class="bar-value" x=${`${x}%`} y=${TOP - 6} text-anchor=${anchor}>${text}</text>`;
}
