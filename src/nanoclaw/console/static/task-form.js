// The form of a task: to schedule one, to hand work over, and to change a task. Only what was changed is sent.
import * as api from "./api.js";
import { putOptions } from "./editing.js";
import { allZones, wallTime } from "./moments.js";
import { byId } from "./pieces.js";
import { clearPreview, previewSoon, showPreview } from "./task-preview.js";
import { amount, t } from "./texts.js";

const dialog = byId("task-dialog");
const form = dialog.querySelector("form");
const problem = form.querySelector(":scope > .problem");
const fields = form.elements;

const SPANS = ["stale_after", "jitter", "retry_pause", "deliver_by"];
const NUMBERS = ["retries", "pause_after", "most_caught_up", "estimated_minutes"];
const TREATMENT = ["catch_up", "overlap", "alarm_to", ...SPANS, "retries", "pause_after", "most_caught_up"];
const SENT = ["prompt", "when", "timezone", "skill", "notify", "check", ...TREATMENT];
const HANDED_OVER = ["prompt", "skill", "priority", "estimated_minutes"];

let about; // {kind, task, done}: what the form is open for.
let before = {}; // What stood in each field when it was opened.
let chats = [];

// What was written and not sent stands there again when the form is opened for the same thing.
export async function openForm(what) {
  const isSame = about?.kind === what.kind && about.task?.id === what.task?.id && isChanged();
  about = what;
  const { kind, task } = what;
  dialog.dataset.mode = task ? "edit" : kind;
  dialog.querySelector("h2").textContent = task ? t("console-task-edit-title", { id: task.id }) : t(kind === "background" ? "console-task-hand-over" : "console-task-new");
  dialog.querySelector("[type=submit]").textContent = t(task ? "console-save" : kind === "background" ? "console-task-hand-over-now" : "console-task-schedule");
  if (!byId("zones").childElementCount) byId("zones").append(...allZones().map((zone) => new Option(zone, zone)));
  if (!isSame) fill(task);
  dialog.showModal();
  fields.prompt.focus();
  try {
    await offerPlaces(what, isSame);
  } catch (error) {
    problem.textContent = error.message;
    problem.scrollIntoView({ block: "nearest" });
  }
}

function fill(task) {
  form.reset();
  problem.textContent = "";
  form.querySelector("details").open = false;
  clearPreview(fields.when);
  if (task) {
    const { policy } = task;
    const spans = SPANS.map((name) => [name, policy[name] ? exactly(policy[name]) : ""]);
    put({ ...policy, ...task, ...Object.fromEntries(spans), when: whenOf(task) });
    showPreview(fields.when, task, task.owner);
  }
  before = read();
}

function put(values) {
  for (const field of fields) {
    if (!(field.name in values) || ["group", "chat"].includes(field.name)) continue;
    if (field.type === "checkbox") field.checked = values[field.name];
    else field.value = values[field.name] ?? "";
  }
}

// Words that mean the same time again.
function whenOf({ schedule_type: type, schedule_value: value, timezone, when }) {
  if (type === "once") return wallTime(value, timezone);
  return type === "interval" ? t("console-task-every", { text: exactly(value) }) : when;
}

// Not everything that a task says of its time is understood again: only another clock is wanted.
const storedTime = ({ schedule_type: type, schedule_value: value }) => type === "interval" ? before.when : value;

const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];

// 90 min, never 1.5 h: it is read again by the server.
function exactly(seconds) {
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? UNITS.at(-1);
  return amount(unit, Math.round(seconds / size));
}

const read = () => Object.fromEntries([...fields].filter(({ name }) => name).map((field) => {
  return [field.name, field.type === "checkbox" ? field.checked : field.value];
}));

const isChanged = () => Object.entries(read()).some(([name, value]) => !["group", "chat"].includes(name) && value !== before[name]);

// Agent groups, and the chats that each is wired to. A task stays where it is.
async function offerPlaces(what, keeps) {
  const [found, { groups }] = await Promise.all([api.listChats(), api.listGroups()]);
  if (about !== what) return; // Meanwhile it was opened for something else.
  const { task } = what;
  ({ chats } = found);
  const wanted = keeps ? [fields.group.value, fields.chat.value] : task ? [task.group, task.chat_id] : [groups.find(({ main }) => main)?.name, ""];
  const names = groups.map(({ name }) => name);
  putOptions(fields.group, (names.includes(wanted[0]) || !wanted[0] ? names : [wanted[0], ...names]).map((name) => ({ value: name, label: name })));
  fields.group.value = wanted[0];
  offerChats(wanted[1], task);
  fields.group.disabled = fields.chat.disabled = Boolean(task);
}

function offerChats(wanted, task) {
  const wired = chats.filter(({ id, wirings }) => id === task?.chat_id || wirings.some(({ group }) => group === fields.group.value));
  putOptions(fields.chat, wired.map(({ id, title, channel }) => ({ value: id, label: `${title} (${channel})` })));
  fields.chat.value = wired.some(({ id }) => id === wanted) ? wanted : "";
}

fields.group.addEventListener("change", () => {
  offerChats(fields.chat.value);
  preview(); // An agent group may have a clock of its own.
});
fields.when.addEventListener("input", preview);
fields.timezone.addEventListener("input", preview);

function preview() {
  const { task } = about;
  const isSameTime = task && fields.when.value === before.when;
  const isStored = isSameTime && fields.timezone.value === before.timezone;
  if (isStored) showPreview(fields.when, task, task.owner);
  else previewSoon(fields.when, isSameTime ? storedTime(task) : fields.when.value, fields.timezone.value.trim(), fields.group.value);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (form.ariaBusy === "true") return;
  const wrong = [...fields].find((field) => field.type === "number" && !field.validity.valid);
  problem.textContent = wrong ? t("console-task-number", { name: wrong.labels[0].firstChild.textContent.trim(), least: wrong.min, most: wrong.max }) : "";
  if (wrong) return showField(wrong);
  form.ariaBusy = "true";
  try {
    await send();
  } catch (error) {
    problem.textContent = error.message;
    problem.scrollIntoView({ block: "nearest" });
  } finally {
    form.ariaBusy = null;
  }
});

function showField(field) {
  form.querySelector("details").open = true;
  field.focus();
}

async function send() {
  const { kind, task, done } = about;
  const wanted = wantedOf(kind === "background" ? HANDED_OVER : SENT, task);
  const place = { group: fields.group.value || null, chat: fields.chat.value || null };
  const stored = task ? await api.editTask(task.id, wanted) : await api.addTask({ ...place, ...wanted, prompt: fields.prompt.value, background: kind === "background" });
  about = null; // What stands in the form is stored.
  dialog.close();
  const said = task ? "console-told-edit" : kind === "background" ? "console-told-hand-over" : "console-told-new";
  await done(stored, t(said, { id: stored.id, text: stored.title }));
}

// What was changed. A field that was emptied takes away what stood there; in a new task it says nothing.
function wantedOf(names, task) {
  const now = read();
  const changed = names.filter((name) => now[name] !== before[name] && (task || now[name] !== ""));
  return Object.fromEntries(changed.map((name) => [name, written(name, now[name])]));
}

function written(name, value) {
  if (NUMBERS.includes(name)) return value === "" ? null : Number(value);
  if (SPANS.includes(name)) return value.trim() || "none";
  return typeof value === "string" && name !== "prompt" ? value.trim() : value;
}
