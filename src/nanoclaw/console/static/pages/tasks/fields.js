// What stands in the form of a task: as strings and ticks, from a task and back. Only what was changed is sent.
import { wallTime } from "../../moments.js";
import { amount, t } from "../../texts.js";

/** @import { NewTask, Task, TaskEdit } from "api" */
/** @typedef {Record<string, string | boolean>} Values */

const SPANS = ["stale_after", "jitter", "retry_pause", "deliver_by"];
const NUMBERS = ["retries", "pause_after", "most_caught_up", "estimated_minutes"];
const SENT = [
  "prompt", "when", "timezone", "skill", "notify", "check", "catch_up", "overlap", "alarm_to", ...SPANS,
  "retries", "pause_after", "most_caught_up",
];
const HANDED_OVER = ["prompt", "skill", "priority", "estimated_minutes"];

/** @type {Values} */
export const BLANK = {
  prompt: "", when: "", timezone: "", group: "", chat: "", skill: "", priority: "normal", estimated_minutes: "", notify: true,
  catch_up: "latest", most_caught_up: "", stale_after: "", overlap: "skip", jitter: "", retries: "", retry_pause: "",
  pause_after: "", deliver_by: "", alarm_to: "", check: "",
};

/** @param {Task} task @returns {Values} */
export function valuesOf(task) {
  /** @type {Record<string, unknown>} */
  const known = { ...task.policy, ...task, when: whenOf(task), chat: task.chat_id, prompt: task.stored_text ?? task.prompt };
  return Object.fromEntries(Object.keys(BLANK).map((name) => {
    const value = known[name];
    if (SPANS.includes(name)) return [name, value ? exactly(Number(value)) : ""];
    return [name, typeof value === "boolean" ? value : String(value ?? "")];
  }));
}

/** Words that mean the same time again. @param {Task} task */
function whenOf({ schedule_type: type, schedule_value: value, timezone, when }) {
  if (type === "once") return wallTime(value, timezone);
  return type === "interval" ? t("console-task-every", { text: exactly(Number(value)) }) : when;
}

/** Not everything that a task says of its time is understood again, when only another clock is wanted. @param {Task} task */
export const storedTime = (task) => task.schedule_type === "interval" ? whenOf(task) : task.schedule_value;

/** @type {[string, number][]} */
const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** 90 min, never 1.5 h: it is read again by the host. @param {number} seconds */
function exactly(seconds) {
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? UNITS[3];
  return amount(unit, Math.round(seconds / size));
}

/** @param {Values} before @param {Values} now @returns {TaskEdit} */
export const editOf = (before, now) => changed(SENT, before, now, () => true);

/** @param {Values} now @param {boolean} isBackground @returns {NewTask} */
export function newTaskOf(now, isBackground) {
  // A field that was left empty says nothing.
  const wanted = changed(isBackground ? HANDED_OVER : SENT, BLANK, now, (value) => value !== "");
  return { ...wanted, group: String(now.group) || null, chat: String(now.chat) || null, prompt: String(now.prompt), background: isBackground };
}

/** @param {string[]} names @param {Values} before @param {Values} now @param {(value: string | boolean) => boolean} says */
function changed(names, before, now, says) {
  const found = names.filter((name) => now[name] !== before[name] && says(now[name]));
  return Object.fromEntries(found.map((name) => [name, written(name, now[name])]));
}

/** A field that was emptied takes away what stood there. @param {string} name @param {string | boolean} value */
function written(name, value) {
  if (typeof value === "boolean" || name === "prompt") return value;
  if (NUMBERS.includes(name)) return value === "" ? null : Number(value);
  return value.trim() || (SPANS.includes(name) ? "none" : "");
}
