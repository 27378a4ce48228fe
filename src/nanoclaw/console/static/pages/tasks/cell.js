// A day of the calendar, with what ran on it and what will.
import { briefTime, fullDay, today } from "../../moments.js";
import { clock, t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { countOf, linesOf, timesOf } from "./days.js";
import { StateIcon, stateName } from "./states.js";

/** @typedef {import("./states.js").Entry} Entry */

const FITTING = 3; // So many lines of a day in a month; the rest is counted.

/** @param {{ day: string, entries: Entry[], view: string, isHere: boolean, isOutside: boolean, onGo: () => void }} props */
export function Day({ day, entries, view, isHere, isOutside, onGo }) {
  const lines = linesOf(entries);
  const rest = view === "month" ? Math.max(0, lines.length - FITTING) : 0;
  const classes = ["cal-day", isOutside && "outside", day < today() && "past", !entries.length && "empty"];
  return html`
    <td role="gridcell" class=${classes.filter(Boolean).join(" ")} data-day=${day} tabindex=${isHere ? 0 : -1} onClick=${onGo}
        aria-current=${day === today() ? "date" : null} aria-label=${`${fullDay(day)}: ${countOf(entries)}`}>
      <p class="day-line"><a href=${`/calendar/${day}`} tabindex="-1"><span class="day-number">${Number(day.slice(8))}</span> <span class="day-name">${fullDay(day)}</span></a></p>
      <ul>${lines.map((line) => html`<li key=${`${line[0].task_id} ${line[0].status}`}><${Line} day=${day} line=${line} /></li>`)}</ul>
      ${rest > 0 && html`<a class="rest" tabindex="-1" href=${`/calendar/${day}`}>${t("console-calendar-rest", { count: rest })}</a>`}
    </td>`;
}

/** @param {{ day: string, line: Entry[] }} props */
function Line({ day, line }) {
  const [{ task_id: task, title, run_at: at, status }] = line;
  const often = timesOf(line) > 1 ? `×${timesOf(line)}` : "";
  return html`
    <a class="entry" tabindex="-1" data-status=${status} href=${`/calendar/${day}?task=${task}`} title=${`${title} · ${stateName(status)}`}
       aria-label=${[clock(at), title, stateName(status), often].filter(Boolean).join(", ")}>
      <${StateIcon} status=${status} />
      ${line.length === 1 && html`<time>${briefTime(at)}</time>`}
      <bdi>${title}</bdi>
      ${often && html`<span class="times">${often}</span>`}
    </a>`;
}
