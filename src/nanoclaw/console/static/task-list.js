// The tasks that are scheduled, or those in the background: what they do and when, how the last run went, and their buttons.
import * as api from "./api.js";
import { complain, filterBy, putAll } from "./editing.js";
import { zoned } from "./moments.js";
import { byId, setTime } from "./pieces.js";
import { setState, showHistory, summaryOf } from "./runs.js";
import { openForm } from "./task-form.js";
import { boot, dollars, minutes, span, t } from "./texts.js";

const PAGE = 200; // That the server gives at a time.
const FEW = 5; // So many are found without searching.

const panel = byId("tasks");
const doubt = byId("delete-task-dialog");

// Gives the function that looks them up and shows them.
export function makeTaskList(part, kind) {
  const list = part.querySelector("ul");
  const more = part.querySelector(".more");
  const settled = part.querySelector(".settled");
  const filter = part.querySelector("[type=search]");
  const over = part.querySelector("[name=over]");
  const known = new Map(); // By number: as they are stored.
  let reach = PAGE;
  let looks = 0;
  let ticking;

  async function show(isStale) {
    const mine = ++looks;
    const { found, hasMore } = await readTasks(over.checked, reach);
    if (isStale() || mine !== looks) return;
    const tasks = found.filter((task) => task.kind === kind).sort(inOrder);
    const hadFocus = list.contains(document.activeElement);
    known.clear();
    for (const task of tasks) known.set(String(task.id), task);
    putAll(list, tasks, { keyOf: ({ id }) => String(id), template: "task-template", draw: drawTask });
    if (hadFocus && !list.contains(document.activeElement)) settled.focus();
    filterBy(filter, list);
    more.hidden = !hasMore;
    filter.hidden = tasks.length < FEW && !filter.value;
    ticking ??= setInterval(() => drawElapsed(list, known), 1000);
    return tasks.length ? "" : t(kind === "background" ? "console-tasks-background-none" : "console-tasks-none");
  }

  async function showAgain() {
    complain(part, "");
    try {
      const said = await show(() => !panel.open);
      panel.querySelector(".sentence").textContent = said ?? "";
    } catch (error) {
      complain(part, error.message);
    }
  }

  more.addEventListener("click", () => {
    reach += PAGE;
    showAgain();
  });
  over.addEventListener("change", showAgain);
  filter.addEventListener("input", () => filterBy(filter, list));

  panel.addEventListener("close", () => {
    ticking = clearInterval(ticking);
    settled.textContent = "";
  });

  part.querySelector("[data-do=new]").addEventListener("click", () => openForm({ kind, done }));

  // What was scheduled or changed in the form.
  async function done(task, said) {
    settled.textContent = said;
    await showAgain();
    settled.focus();
  }

  list.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-do]");
    if (!button) return;
    const row = button.closest(".task");
    const task = known.get(row.dataset.key);
    const act = button.dataset.do;
    if (act === "runs") showHistory(task);
    else if (act === "edit") openForm({ kind, task, done });
    else if (act === "delete") askToDelete(row, task);
    else change(row, button, () => api.changeTask(task.id, act));
  });

  function askToDelete(row, { id, prompt }) {
    doubt.querySelector("h2").textContent = t("console-task-delete-title", { id });
    doubt.querySelector("blockquote").textContent = prompt;
    doubt.querySelector("form").onsubmit = () => change(row, null, () => api.deleteTask(id));
    doubt.showModal();
  }

  async function change(row, button, send) {
    if (row.ariaBusy === "true") return;
    row.ariaBusy = "true";
    complain(row, "");
    try {
      const task = await send();
      looks++; // What was asked for before is older than this answer.
      settled.textContent = t(`console-told-${button?.dataset.do ?? "delete"}`, { id: task.id, text: task.title });
      if (!button) return drop(row);
      known.set(String(task.id), task);
      drawTask(row, task);
      if (button.hidden) row.querySelector(".task-actions button:not([hidden])")?.focus();
    } catch (error) {
      complain(row, error.message);
    } finally {
      row.ariaBusy = null;
    }
  }

  function drop(row) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    known.delete(row.dataset.key);
    row.remove();
    (next?.querySelector(".task-actions button:not([hidden])") ?? settled).focus();
  }

  return show;
}

async function readTasks(over, wanted) {
  const found = [];
  let page;
  do {
    page = (await api.listTasks(over, found.at(-1)?.id)).tasks;
    found.push(...page);
  } while (page.length === PAGE && found.length < wanted);
  return { found, hasMore: page.length === PAGE };
}

// What runs, then what comes next; what is paused or over stands last.
function inOrder(one, other) {
  const rank = ({ running, status, next_run_at: next }) => [running ? 0 : 1, status === "active" ? 0 : status === "paused" ? 1 : 2, next ?? "~"].join();
  return rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : other.id - one.id;
}

// Drawing

function drawTask(row, task) {
  const part = (selector) => row.querySelector(selector);
  const { id, status, last_run: last, next_run_at: next, group, skill } = task;
  const isAlive = ["active", "paused"].includes(status);
  row.ariaLabel = task.title;
  row.dataset.words = [id, task.prompt, group, task.chat_title, skill].join(" ");
  row.dataset.state = task.running ? "running" : status;
  part(".task-title").textContent = task.title;
  part(".task-number").textContent = `#${id}`;
  part(".often").textContent = task.kind === "background" ? "" : oftenOf(task);
  const isNext = status === "active" && next;
  part(".next").hidden = !isNext;
  if (isNext) setTime(part(".next"), next, `${t("console-task-next")} ${zoned(next)}`);
  part(".task-about").textContent = [group, task.chat_title, skill, costOf(task)].filter(Boolean).join(" · ");
  setState(part(".task-last"), last ? last.status : "coming");
  part(".doing").textContent = task.running ? last.doing ?? "" : "";
  part("[data-do=runs]").textContent = last ? summaryOf(last) : t("console-task-not-yet");
  part(".task-why").textContent = [task.why, last?.status === "failed" && last.error].filter(Boolean).join(" ");
  part("[data-do=pause]").hidden = status !== "active" || task.kind === "background";
  part("[data-do=resume]").hidden = status !== "paused";
  part("[data-do=run]").hidden = task.running;
  part("[data-do=run]").textContent = t(isAlive ? "console-task-run" : "console-task-run-again");
  part("[data-do=cancel]").hidden = !task.running;
  part("[data-do=edit]").hidden = !isAlive || task.kind === "background";
  drawState(row, task);
}

// Times of the clock name their zone where it is not that of the page: beside a moment in that one they would look wrong.
function oftenOf({ when, schedule_type: type, timezone }) {
  return type === "cron" && timezone !== boot.timezone ? `${when} (${timezone})` : when;
}

function costOf({ kind, status, cost_per_run_usd: run, cost_per_month_usd: month }) {
  if (run === null || kind === "background" || status !== "active") return "";
  return t("console-task-cost", { money: dollars(run), month: dollars(month) });
}

function drawElapsed(list, known) {
  for (const row of list.children) {
    const task = known.get(row.dataset.key);
    if (task?.running) drawState(row, task);
  }
}

// "under way for 12 min of about 30 minutes"
function drawState(row, { running, status, last_run: last, estimated_minutes: about }) {
  const mark = row.querySelector(".task-state");
  let text = status === "active" ? "" : t(`console-task-status-${status}`);
  if (running) {
    text = t(`console-run-${last.status}`);
    const time = last.started_at && span(Math.max(1, Date.now() - Date.parse(last.started_at)));
    if (time) text = t(about ? "console-task-elapsed-of" : "console-task-elapsed", { text, time, most: about && minutes(about) });
  }
  if (mark.textContent !== text) mark.textContent = text;
}
