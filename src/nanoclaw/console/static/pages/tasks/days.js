// What ran and what will run, by the days of the person's clock.
import { get } from "../../call.js";
import { addDays } from "../../moments.js";
import { dayKey, t } from "../../texts.js";
import { stateName } from "./states.js";

/** @typedef {import("./states.js").Entry} Entry */

/** @param {string} first @param {string} last days such as "2026-11-16" */
export async function readDays(first, last) {
  // A day longer on both sides: the person's days begin at other moments than those of UTC.
  const found = await get("/api/calendar", { from: `${addDays(first, -1)}T00:00:00Z`, to: `${addDays(last, 2)}T00:00:00Z` });
  const coming = found.coming.map(({ task_id: task, title, at, times }) => (
    { id: `${task} ${at}`, task_id: task, title, run_at: at, status: "coming", times }));
  /** @type {Map<string, Entry[]>} */
  const days = new Map();
  for (const entry of [...found.runs, ...coming].sort(byTime)) {
    const day = dayKey(entry.run_at);
    if (!days.has(day)) days.set(day, []);
    days.get(day)?.push(entry);
  }
  return { days, more: found.more };
}

/** @param {Entry} one @param {Entry} other */
const byTime = (one, other) => Date.parse(one.run_at) - Date.parse(other.run_at);

/** What a task did several times on a day, with the same end, is one line. @param {Entry[]} entries */
export function linesOf(entries) {
  /** @type {Map<string, Entry[]>} */
  const lines = new Map();
  for (const entry of entries) {
    const key = `${entry.task_id} ${entry.status}`;
    lines.set(key, [...(lines.get(key) ?? []), entry]);
  }
  return [...lines.values()];
}

/** One entry may stand for several of its day. @param {Entry[]} entries */
export const timesOf = (entries) => entries.reduce((sum, { times = 1 }) => sum + times, 0);

/** "done 2, failed 1" @param {Entry[]} entries */
export function countOf(entries) {
  if (!entries.length) return t("console-calendar-day-none");
  const states = [...new Set(entries.map(({ status }) => status))];
  return states.map((state) => `${stateName(state)} ${timesOf(entries.filter(({ status }) => status === state))}`).join(", ");
}
