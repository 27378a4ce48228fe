// The calendar: what ran, coloured by how it went, and what will run; a month or a week at a time, or on a phone a list.
import { IconButton } from "../../components/icon.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { addDays, addMonths, isDay, monthName, monthOf, today, weekdayName, weekName, weekOf } from "../../moments.js";
import { go, query, visits } from "../../router.js";
import { t } from "../../texts.js";
import { html, useLayoutEffect, useRef } from "../../vendor/index.js";
import { Day } from "./cell.js";
import { readDays } from "./days.js";
import { STATES, StateIcon, stateName } from "./states.js";
import { calmNews, taskTabs } from "./tabs.js";

/** @param {string} view @param {string} day */
const addressOf = (view, day) => `/calendar?${new URLSearchParams({ ...(view === "week" && { view }), day })}`;

export default function Calendar() {
  const view = query.value.get("view") === "week" ? "week" : "month";
  const asked = query.value.get("day") ?? "";
  const day = isDay(asked) ? asked : today(); // The one that the keyboard is at.
  const weeks = view === "month" ? monthOf(day) : [weekOf(day)];
  const days = weeks.flat();
  const { data, problem } = useLookup(() => readDays(days[0], days[days.length - 1]), { key: `${days[0]} ${days.length}`, news: calmNews });
  const shown = useRef(data);
  if (data) shown.current = data; // While another month is fetched, what is known of it stands there.
  const found = shown.current?.days ?? new Map();

  // A person who comes back continues at the day they left; on a phone the list is long, and begins with the past.
  const grid = useRef(/** @type {HTMLElement | null} */ (null));
  const wantsFocus = useRef(Boolean(asked) && visits.peek() > 0);
  useLayoutEffect(() => {
    const cell = /** @type {HTMLElement | null} */ (grid.current?.querySelector(`[data-day="${day}"]`) ?? null);
    if (wantsFocus.current) cell?.focus();
    else cell?.scrollIntoView({ block: "nearest" });
    wantsFocus.current = false;
  }, [view, day, Boolean(data)]);

  function move(/** @type {string} */ to, { view: wanted = view, focus = false } = {}) {
    wantsFocus.current = focus;
    go(addressOf(wanted, to), { replace: true });
  }
  const step = (/** @type {number} */ count) => view === "month" ? addMonths(day, count) : addDays(day, 7 * count);

  function onKey(/** @type {KeyboardEvent} */ event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const week = weekOf(day);
    /** @type {Record<string, () => string>} */
    const ways = {
      ArrowRight: () => addDays(day, 1), ArrowLeft: () => addDays(day, -1),
      ArrowDown: () => addDays(day, 7), ArrowUp: () => addDays(day, -7),
      Home: () => week[0], End: () => week[6], PageDown: () => step(1), PageUp: () => step(-1),
    };
    const opens = ["Enter", " "].includes(event.key) && /** @type {Element} */ (event.target).matches(".cal-day");
    if (!ways[event.key] && !opens) return;
    event.preventDefault();
    if (!opens) return move(ways[event.key](), { focus: true });
    move(day); // Back comes to this day.
    go(`/calendar/${day}`);
  }

  const sentence = data?.more ? t("console-calendar-cut") : data && !days.some((each) => found.has(each)) ? t("console-calendar-none") : "";
  return html`
    <${Page} title=${t("console-tasks")} tabs=${taskTabs()}>
      <div class="calendar-head">
        <h2 id="calendar-title" role="status">${view === "month" ? monthName(day) : weekName(weeks[0])}</h2>
        <div class="segments" role="group" aria-label=${t("console-calendar-view")}>
          ${["month", "week"].map((each) => html`
            <button key=${each} type="button" aria-pressed=${String(view === each)} onClick=${() => move(day, { view: each })}>${t(`console-calendar-${each}`)}</button>`)}
        </div>
        <div class="steps-of-time">
          <${IconButton} icon="back" label=${t("console-calendar-earlier")} onClick=${() => move(step(-1))} />
          <button type="button" class="button" onClick=${() => move(today())}>${t("console-calendar-today")}</button>
          <${IconButton} icon="forth" label=${t("console-calendar-later")} onClick=${() => move(step(1))} />
        </div>
      </div>
      <${Sentence} text=${problem || (data ? sentence : t("console-loading"))} />
      <table class="calendar" role="grid" data-view=${view} aria-labelledby="calendar-title" aria-describedby="calendar-keys" ref=${grid}>
        <thead role="rowgroup">
          <tr role="row">${weeks[0].map((each) => html`<th key=${weekdayName(each)} scope="col" role="columnheader">${weekdayName(each)}</th>`)}</tr>
        </thead>
        <tbody role="rowgroup" onKeyDown=${onKey}>
          ${weeks.map((week) => html`
            <tr key=${week[0]} role="row">
              ${week.map((each) => html`
                <${Day} key=${each} day=${each} entries=${found.get(each) ?? []} view=${view} isHere=${each === day}
                        isOutside=${view === "month" && each.slice(0, 7) !== day.slice(0, 7)} onGo=${() => move(each, { focus: true })} />`)}
            </tr>`)}
        </tbody>
      </table>
      <p class="entry-legend" aria-hidden="true">
        ${STATES.map((status) => html`<span key=${status} class="entry" data-status=${status}><${StateIcon} status=${status} />${stateName(status)}</span>`)}
      </p>
      <p id="calendar-keys" class="quiet">${t("console-calendar-keys")}</p>
    <//>`;
}
