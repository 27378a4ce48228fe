// The calendar: what ran, coloured by how it went, and what will run; a month or a week at a time, or on a phone a list.
import * as api from "./api.js";
import { complain } from "./editing.js";
import { addDays, addMonths, fullDay, monthName, monthOf, today, weekdayName, weekName, weekOf } from "./moments.js";
import { byId, copyOf } from "./pieces.js";
import { setState, showRuns } from "./runs.js";
import { clock, dayKey, t } from "./texts.js";

const part = byId("tasks-calendar");
const title = byId("calendar-title");
const grid = part.querySelector("table");
const rows = grid.querySelector("tbody");
const LEGEND = ["success", "failed", "skipped", "running", "coming"];

let view = "month";
let day = today(); // The one that the keyboard is at.
let entries = new Map(); // By day: what ran and what will, in order.
let asked = 0;

export async function showCalendar(isStale = () => false) {
  const mine = ++asked;
  drawFrame();
  const days = weeksShown().flat();
  // A day longer on both sides: the person's days begin at other moments than those of UTC.
  const found = await api.readCalendar(`${addDays(days[0], -1)}T00:00:00Z`, `${addDays(days.at(-1), 2)}T00:00:00Z`);
  if (isStale() || mine !== asked) return;
  complain(part, "");
  const coming = found.coming.map(({ task_id, title, at }) => ({ id: `${task_id} ${at}`, task_id, title, run_at: at, status: "coming" }));
  entries = Map.groupBy([...found.runs, ...coming].sort(byTime), ({ run_at: at }) => dayKey(at));
  drawEntries();
  return found.more ? t("console-calendar-cut") : days.some((each) => entries.has(each)) ? "" : t("console-calendar-none");
}

const byTime = (one, other) => Date.parse(one.run_at) - Date.parse(other.run_at);

const weeksShown = () => view === "month" ? monthOf(day) : [weekOf(day)];

// Moving

async function go(to, { focus = false } = {}) {
  const weeks = String(weeksShown());
  day = to;
  if (String(weeksShown()) === weeks) drawFrame();
  else await load();
  if (focus) cellOf(day)?.focus();
}

async function load() {
  const look = showCalendar();
  cellOf(day)?.focus({ preventScroll: true });
  try {
    byId("tasks").querySelector(".sentence").textContent = await look ?? "";
  } catch (error) {
    complain(part, error.message);
  }
}
