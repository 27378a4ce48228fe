// What a time in words means, while it is being written: the next times, on whose clock, and how often in a month.
import * as api from "./api.js";
import { zonedAlso } from "./moments.js";
import { byId } from "./pieces.js";
import { boot, t } from "./texts.js";

const PAUSE = 350; // Milliseconds after the last letter.

const part = byId("task-preview");
const understood = part.querySelector(".understood");
const problem = part.querySelector(".problem");

let timer;
let asked = 0;

// Asks when the person has paused. `field` is marked while its words mean no time.
export function previewSoon(field, when, timezone, group) {
  clearTimeout(timer);
  const mine = ++asked;
  if (!when.trim()) return clearPreview(field);
  timer = setTimeout(() => preview(mine, field, when, timezone, group), PAUSE);
}

async function preview(mine, field, when, timezone, group) {
  try {
    const told = await api.previewTask(when, timezone || null, group || null);
    if (mine === asked) showPreview(field, told, boot.owner);
  } catch (error) {
    if (mine !== asked) return;
    understood.hidden = true;
    problem.textContent = error.message;
    field.ariaInvalid = "true";
  }
}

export function clearPreview(field) {
  clearTimeout(timer);
  asked++;
  understood.hidden = true;
  problem.textContent = "";
  field.ariaInvalid = null;
}

// As the server understood it, or as a task stands. `name` is the person whose clock may be meant.
export function showPreview(field, { next_times: times, timezone: zone, zone_of: whose, runs_per_month: count, schedule_type: type }, name) {
  clearPreview(field);
  understood.hidden = times.length === 0;
  part.querySelector("ol").replaceChildren(...times.map((at) => {
    return Object.assign(document.createElement("li"), { textContent: zonedAlso(at, zone) });
  }));
  part.querySelector(".zone").textContent = t(`console-zone-${whose}`, { zone, name });
  part.querySelector(".often").textContent = type === "once" ? t("console-preview-once") : t("console-preview-often", { count });
}
