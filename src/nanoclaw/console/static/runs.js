// How runs went: those of one task, or of one day; each opens to its result, its time and its cost.
import * as api from "./api.js";
import { putAll } from "./editing.js";
import { zoned } from "./moments.js";
import { byId, setIcon, setTime } from "./pieces.js";
import { clock, dayKey, dollars, duration, shortTime, t } from "./texts.js";
import { showWhy } from "./why.js";

const panel = byId("runs");
const list = panel.querySelector("ol");
const more = panel.querySelector(".more");

const ICONS = {
  coming: "clock", queued: "clock", running: "gear", waiting: "people", retrying: "again", success: "check",
  failed: "cross", skipped: "past", missed: "gap", cancelled: "stop",
};

const PAGE = 50; // That the server gives at a time.

let shown; // {title, quote, named, read}
let reach; // How many are shown, the newest ones, if there are so many.
let looks = 0;

// `read(wanted)` gives at least so many runs, and whether there are more. With `open`, that one is unfolded.
// `named`: each says of which task it is.
export async function showRuns(what, open) {
  shown = what;
  reach = PAGE;
  list.replaceChildren();
  panel.querySelector("h2").textContent = what.title;
  panel.querySelector("blockquote").textContent = what.quote ?? "";
  say(t("console-door-loading"));
  panel.showModal();
  await lookAtRuns();
  const rows = [...list.children];
  const chosen = rows.length === 1 ? rows[0] : rows.find(({ dataset }) => dataset.key === open);
  if (!chosen) return;
  chosen.querySelector("details").open = true;
  chosen.querySelector("summary").focus();
}

// All that ran of one task, the newest first.
export function showHistory({ id, prompt }) {
  return showRuns({
    title: t("console-runs-title", { id }),
    quote: prompt,
    named: false,
    async read(wanted) {
      const runs = [];
      let page;
      do {
        page = (await api.listRuns(id, PAGE, runs.at(-1)?.id)).runs;
        runs.push(...page);
      } while (page.length === PAGE && runs.length < wanted);
      return { runs, hasMore: page.length === PAGE };
    },
  });
}

export async function lookAtRuns() {
  if (!panel.open) return;
  const mine = ++looks;
  try {
    const { runs, hasMore } = await shown.read(reach);
    if (mine !== looks || !panel.open) return;
    putAll(list, runs, { keyOf: ({ id }) => id, template: "run-template", draw: drawRun });
    more.hidden = !hasMore;
    say(runs.length ? "" : shown.none ?? t("console-runs-none"));
  } catch (error) {
    if (mine === looks) say(error.message);
  }
}

function say(text) {
  panel.querySelector(".sentence").textContent = text;
}

more.addEventListener("click", async () => {
  const last = list.lastElementChild;
  reach += PAGE;
  await lookAtRuns();
  // The button has moved down, and out of sight; whoever reads goes on with what has come.
  last.nextElementSibling?.querySelector("summary").focus();
});

list.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-do=why]");
  if (button) showWhy(button.dataset.message);
});

// Drawing

export function setState(element, status) {
  element.dataset.status = status;
  setIcon(element, ICONS[status]);
}

// "done, 08:00, 2.4 s, $0.0123": how a run went, in a few words.
export function summaryOf(run) {
  const at = run.started_at ?? run.run_at;
  return [t(`console-run-${run.status}`), shortTimeOf(at), ...spent(run)].join(", ");
}

const shortTimeOf = (at) => dayKey(at) === dayKey(Date.now()) ? clock(at) : `${shortTime(at)} ${clock(at)}`;

function spent({ duration_ms: took, cost_usd: cost }) {
  return [took === null ? "" : duration(took), cost ? dollars(cost) : ""].filter(Boolean);
}

function drawRun(row, run) {
  const part = (selector) => row.querySelector(selector);
  const { title, run_at: at, status, error, result, message_id: message } = run;
  setState(row, status);
  part(".run-title").textContent = shown.named ? title : "";
  setTime(part("time"), at, shown.named ? clock(at) : shortTimeOf(at));
  part(".run-state").textContent = t(`console-run-${status}`);
  part(".run-error").textContent = error ?? "";
  const words = part(".run-result");
  words.hidden = !result;
  if (words.textContent !== (result ?? "")) words.textContent = result ?? ""; // Someone may be reading or marking it.
  const facts = factsOf(run);
  if (part("dl").dataset.drawn !== String(facts)) drawFacts(part("dl"), facts);
  part("[data-do=why]").hidden = !message;
  part("[data-do=why]").dataset.message = message ?? "";
}

function factsOf({ run_at: due, started_at: started, duration_ms: took, cost_usd: cost, attempts, reason, status }) {
  const tries = status === "retrying" ? attempts : attempts + 1; // The retry that it waits for is not one yet.
  return [
    ["console-run-due", zoned(due)],
    ["console-run-began", started ? zoned(started) : ""],
    ["console-run-took", (took ?? null) === null ? "" : duration(took)],
    ["console-run-cost", status === "coming" || !started ? "" : dollars(cost)],
    ["console-run-attempts", tries > 1 ? String(tries) : ""],
    ["console-run-reason", reason && reason !== "schedule" ? t(`console-reason-${reason}`) : ""],
  ].filter(([, text]) => text);
}

function drawFacts(place, facts) {
  place.dataset.drawn = String(facts);
  place.replaceChildren(...facts.flatMap(([key, text]) => [
    Object.assign(document.createElement("dt"), { textContent: t(key) }),
    Object.assign(document.createElement("dd"), { textContent: text }),
  ]));
}
