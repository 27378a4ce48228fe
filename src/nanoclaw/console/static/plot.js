// Draws bars that lie, one group under the other, each with its number: as wide as there is room, in either theme.

const LINE = 20; // for the name of a group
const BAR = 16; // for one bar with its number
const GAP = 10;
const WIDEST = 74; // percent, so that the number after the longest bar has room

// A group has a `name` and `bars`; a bar has a `share` of the longest, its `text`, a `label` and a `className`.
export function drawBars(title, groups) {
  const svg = element("svg", { class: "bars", role: "img", width: "100%" });
  let y = 0;
  const said = [];
  for (const { name, bars } of groups) {
    svg.append(element("text", { class: "bar-name", x: 0, y: y + 14 }, name));
    y += LINE;
    for (const { share, text, label, className } of bars) {
      const width = share * WIDEST;
      const bar = element("rect", { class: className, x: 0, y: y + 2, width: `${width}%`, height: BAR - 6, rx: 2 });
      bar.append(element("title", {}, `${name}, ${label}: ${text}`));
      svg.append(bar, element("text", { class: "bar-value", x: `${width}%`, dx: width ? 6 : 0, y: y + 11 }, text));
      said.push(`${name}, ${label}: ${text}`);
      y += BAR;
    }
    y += GAP;
  }
  svg.setAttribute("height", Math.max(y - GAP, 1));
  svg.setAttribute("aria-label", `${title}. ${said.join("; ")}`);
  return svg;
}

function element(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
