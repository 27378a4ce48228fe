// The calendar: what ran, coloured by how it went, and what will run; a month or a week at a time, or on a phone a list.
import * as api from "./api.js";
import { complain } from "./editing.js";
import { addDays, addMonths, briefTime, fullDay, monthName, monthOf, today, weekdayName, weekName, weekOf } from "./moments.js";
import { byId, copyOf } from "./pieces.js";
import { setState, showRuns } from "./runs.js";
import { clock, dayKey, t } from "./texts.js";

const panel = byId("tasks");
const part = byId("tasks-calendar");
const grid = part.querySelector("table");
const rows = grid.querySelector("tbody");

const FITTING = 3; // So many lines of a day in a month; the rest is counted.

let view = "month";
let day = today(); // The one that the keyboard is at.
let entries = new Map(); // By day: what ran and what will, in order.
let asked = 0;

export async function showCalendar(isStale = () => false) {
  const mine = ++asked;
  const isNew = !grid.dataset.shows; // The list of a phone is long, and begins with the past.
  drawFrame();
  const days = weeksShown().flat();
  // A day longer on both sides: the person's days begin at other moments than those of UTC.
  const found = await api.readCalendar(`${addDays(days[0], -1)}T00:00:00Z`, `${addDays(days.at(-1), 2)}T00:00:00Z`);
  if (isStale() || mine !== asked) return;
  complain(part, "");
  const coming = found.coming.map(({ task_id, title, at, times }) => ({ id: `${task_id} ${at}`, task_id, title, run_at: at, status: "coming", times }));
  entries = Map.groupBy([...found.runs, ...coming].sort(byTime), ({ run_at: at }) => dayKey(at));
  drawEntries();
  if (isNew) cellOf(day).scrollIntoView({ block: "nearest" });
  if (found.more) return t("console-calendar-cut");
  return days.some((each) => entries.has(each)) ? "" : t("console-calendar-none");
}

const byTime = (one, other) => Date.parse(one.run_at) - Date.parse(other.run_at);
const weeksShown = () => view === "month" ? monthOf(day) : [weekOf(day)];
const cellOf = (wanted) => rows.querySelector(`[data-day="${wanted}"]`);

// Moving

async function go(to, { focus = false } = {}) {
  const before = grid.dataset.shows;
  day = to;
  drawFrame();
  if (focus) cellOf(day).focus();
  else cellOf(day).scrollIntoView({ block: "nearest" });
  if (grid.dataset.shows === before) return;
  drawEntries();
  try {
    const said = await showCalendar(() => !panel.open);
    if (said !== undefined) panel.querySelector(".sentence").textContent = said;
  } catch (error) {
    complain(part, error.message);
  }
}

const step = (count) => view === "month" ? addMonths(day, count) : addDays(day, 7 * count);

part.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-view], [data-step]");
  if (button?.dataset.view) {
    view = button.dataset.view;
    go(day);
  } else if (button) {
    const count = Number(button.dataset.step);
    go(count ? step(count) : today());
  }
});

rows.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const week = weekOf(day);
  const to = {
    ArrowRight: () => addDays(day, 1), ArrowLeft: () => addDays(day, -1),
    ArrowDown: () => addDays(day, 7), ArrowUp: () => addDays(day, -7),
    Home: () => week[0], End: () => week[6],
    PageDown: () => step(1), PageUp: () => step(-1),
  }[event.key];
  const opens = ["Enter", " "].includes(event.key) && event.target.matches(".cal-day");
  if (!to && !opens) return;
  event.preventDefault();
  if (to) go(to(), { focus: true });
  else openDay();
});

// The focus comes back to the day: what stands in it is drawn anew when there are news.
rows.addEventListener("click", ({ target }) => {
  const cell = target.closest(".cal-day");
  if (!cell) return;
  go(cell.dataset.day, { focus: true });
  const entry = target.closest(".entry");
  if (entry) openDay(entry.dataset.task);
  else if (target.closest(".rest, .day-line")) openDay();
});

// All of the day, or what one task did on it.
function openDay(task) {
  const chosen = day;
  showRuns({
    title: fullDay(chosen),
    named: true,
    none: t("console-calendar-day-none"),
    read: async () => ({ runs: (entries.get(chosen) ?? []).filter((each) => !task || String(each.task_id) === task), hasMore: false }),
  });
}

// Drawing

function drawFrame() {
  const weeks = weeksShown();
  const shows = [view, view === "month" ? day.slice(0, 7) : weeks[0][0], today()].join(" ");
  byId("calendar-title").textContent = view === "month" ? monthName(day) : weekName(weeks[0]);
  for (const button of part.querySelectorAll("[data-view]")) button.ariaPressed = String(button.dataset.view === view);
  if (grid.dataset.shows !== shows) {
    grid.dataset.shows = shows;
    grid.dataset.view = view;
    grid.querySelector("thead tr").replaceChildren(...weeks[0].map((each) => {
      const head = Object.assign(document.createElement("th"), { scope: "col", textContent: weekdayName(each) });
      head.role = "columnheader";
      return head;
    }));
    rows.replaceChildren(...weeks.map((week) => {
      const row = document.createElement("tr");
      row.role = "row";
      row.append(...week.map(drawDay));
      return row;
    }));
  }
  for (const cell of rows.querySelectorAll(".cal-day")) cell.tabIndex = cell.dataset.day === day ? 0 : -1;
}

function drawDay(each) {
  const cell = copyOf("cal-day-template");
  cell.dataset.day = each;
  cell.querySelector(".day-number").textContent = Number(each.slice(8));
  cell.querySelector(".day-name").textContent = fullDay(each);
  cell.classList.toggle("outside", view === "month" && each.slice(0, 7) !== day.slice(0, 7));
  cell.classList.toggle("past", each < today());
  if (each === today()) cell.ariaCurrent = "date";
  return cell;
}

function drawEntries() {
  for (const cell of rows.querySelectorAll(".cal-day")) {
    const found = entries.get(cell.dataset.day) ?? [];
    const groups = [...Map.groupBy(found, ({ task_id: task, status }) => `${task} ${status}`).values()];
    const rest = view === "month" ? Math.max(0, groups.length - FITTING) : 0;
    cell.classList.toggle("empty", found.length === 0);
    cell.ariaLabel = `${fullDay(cell.dataset.day)}: ${countOf(found)}`;
    cell.querySelector("ul").replaceChildren(...groups.map(drawEntry));
    cell.querySelector(".rest").hidden = rest === 0;
    cell.querySelector(".rest").textContent = t("console-calendar-rest", { count: rest });
  }
}

// One entry may stand for several of its day.
const timesOf = (found) => found.reduce((sum, { times = 1 }) => sum + times, 0);

// "done 2, failed 1"
function countOf(found) {
  if (!found.length) return t("console-calendar-day-none");
  const counts = Map.groupBy(found, ({ status }) => status);
  return [...counts].map(([status, all]) => `${t(`console-run-${status}`)} ${timesOf(all)}`).join(", ");
}

// What a task did several times on a day, with the same end, is one line.
function drawEntry(group) {
  const item = copyOf("entry-template");
  const [{ task_id: task, title, run_at: at, status }] = group;
  const button = item.querySelector("button");
  button.dataset.task = task;
  setState(button, status);
  item.querySelector("time").textContent = group.length > 1 ? "" : briefTime(at);
  item.querySelector("bdi").textContent = title;
  const often = timesOf(group);
  item.querySelector(".times").textContent = often > 1 ? `×${often}` : "";
  button.title = `${title} · ${t(`console-run-${status}`)}`;
  button.ariaLabel = [clock(at), title, t(`console-run-${status}`), item.querySelector(".times").textContent].filter(Boolean).join(", ");
  return item;
}

// One of each colour, in words.
part.querySelector(".entry-legend").append(...["success", "failed", "skipped", "missed", "cancelled", "running", "coming"].map((status) => {
  const item = copyOf("entry-template").querySelector("button");
  const shown = document.createElement("span");
  shown.className = "entry";
  shown.append(item.querySelector("svg"), t(`console-run-${status}`));
  setState(shown, status);
  return shown;
}));
