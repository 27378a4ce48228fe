// A report of costs: as columns by day or as bars, what was saved, and all of it as a table.
import { DayPlot } from "../../components/day-plot.js";
import { Plot } from "../../components/plot.js";
import { dateFormat, dayKey, t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @import { CostLine, CostReport, Spending } from "api" */

const MOST_BARS = 12; // The table has all of them.
const MOST_ROWS = 500;
const A_DAY = 86_400_000;

// A day of a report is a date, not a moment: it is the same in every zone.
const shortDay = dateFormat({ day: "numeric", month: "short", timeZone: "UTC" });
const wholeDay = dateFormat({ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** @param {{ report: CostReport }} props */
export function Report({ report }) {
  const { by, lines, total, on_the_way: open } = report;
  if (lines.length === 0) return html`<p class="summary">${t("console-costs-none")}</p>`;
  const title = t("console-costs-sum", { money: total.money, calls: total.calls });
  return html`
    ${by === "day" ? html`<${DayPlot} title=${title} days=${daysOf(report)} />` : html`<${Bars} title=${title} lines=${lines} />`}
    <p class="quiet costs-saved">
      ${t("console-costs-saved", { cache: report.saved_by_cache, batch: report.saved_by_batch })}
      ${open.calls > 0 && html` ${t("console-costs-open", { count: open.calls, money: open.money })}`}
    </p>
    <${Table} report=${report} />`;
}

/** Days without any call are days too. @param {CostReport} report */
function daysOf({ lines, since }) {
  const spent = new Map(lines.map((line) => [line.key, line.spent]));
  const [first, last] = [lines[0].key ?? "", lines[lines.length - 1].key ?? ""];
  const today = dayKey(Date.now());
  const start = Date.parse(since && since < first ? since : first);
  const count = Math.round((Date.parse(last > today ? last : today) - start) / A_DAY) + 1;
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(start + index * A_DAY).toISOString().slice(0, 10);
    const sums = spent.get(day);
    return { name: (count > 300 ? wholeDay : shortDay)(day), value: sums?.micros ?? 0, text: sums?.money ?? "$0.00" };
  });
}

/** @param {{ title: string, lines: CostLine[] }} props */
function Bars({ title, lines }) {
  const most = Math.max(...lines.map(({ spent }) => spent.micros));
  const groups = lines.slice(0, MOST_BARS).map(({ name, spent }) => ({
    name,
    bars: [{ class: "median", share: spent.micros / most || 0, text: spent.money, label: t("console-costs-cost") }],
  }));
  return html`<${Plot} title=${title} groups=${groups} />`;
}

/** @param {{ report: CostReport }} props */
const Table = ({ report: { by, lines, total } }) => html`
  <details class="figures-table" open=${by !== "day"}>
    <summary>${t("console-costs-table")}</summary>
    <div class="wide" role="region" tabindex="0" aria-label=${t("console-costs-table")}>
      <table>
        <thead><tr>
          <th scope="col">${t(`console-costs-by-${by}`)}</th>
          ${COLUMNS.map((column) => html`<th scope="col">${t(`console-costs-${column}`)}</th>`)}
        </tr></thead>
        <tbody><${Row} name=${t("console-costs-total")} spent=${total} /></tbody>
        <tbody>
          ${lines.slice(0, MOST_ROWS).map(({ key, name, spent }) => html`<${Row} key=${key} name=${by === "day" ? wholeDay(name) : name} spent=${spent} />`)}
        </tbody>
      </table>
    </div>
    <p class="quiet">${t("console-costs-rounded")}</p>
  </details>`;

const COLUMNS = ["cost", "calls", "input", "cached", "output", "saving"];
const number = new Intl.NumberFormat();

/** @param {{ name: string, spent: Spending }} props */
const Row = ({ name, spent }) => html`
  <tr>
    <th scope="row" dir="auto">${name}</th>
    ${[spent.money, number.format(spent.calls), number.format(spent.input), number.format(spent.cached), number.format(spent.output), spent.saved]
      .map((text) => html`<td>${text}</td>`)}
  </tr>`;
