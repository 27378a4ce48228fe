// A task: what it does and when, how the last run went, and its buttons.
import { post, remove } from "../../call.js";
import { useNow } from "../../clock.js";
import { Card } from "../../components/card.js";
import { isMeant } from "../../components/dialog.js";
import { useAction } from "../../components/form.js";
import { useKeptFocus } from "../../components/settled.js";
import { Time } from "../../components/time.js";
import { zoned } from "../../moments.js";
import { to } from "../../router.js";
import { boot, dollars, minutes, span, t } from "../../texts.js";
import { html, useRef } from "../../vendor/index.js";
import { StateIcon, stateName, summaryOf } from "./states.js";

/** @import { Task } from "api" */
/** @typedef {"pause" | "resume" | "run" | "cancel"} Action */

/** What can have the focus in a card of a task. */
export const CONTROL = ".card-actions button";

/**
 * `onChange` gets the task as it is now, `onEnd` when it was deleted; both with a sentence that says so.
 * @param {{ task: Task, onChange: (task: Task, said: string) => void, onEnd: (task: Task, said: string, card: Element) => void }} props
 */
export function TaskCard({ task, onChange, onEnd }) {
  const { id, status, last_run: last, kind } = task;
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const { isBusy, problem, run } = useAction();
  useKeptFocus(card, () => card.current?.querySelector(CONTROL));

  const change = (/** @type {Action} */ action) => run(async () => {
    const changed = await post(`/api/tasks/{task}/${action}`, { task: id });
    onChange(changed, t(`console-told-${action}`, { id, text: changed.title }));
  });

  async function askToDelete() {
    const isGone = await isMeant({
      title: t("console-task-delete-title", { id }),
      sentence: t("console-task-delete-sentence"),
      quote: task.prompt,
      act: t("console-task-delete"),
      cancel: t("console-take-back-not"),
    });
    if (isGone) {
      await run(async () => {
        const gone = await remove("/api/tasks/{task}", { task: id });
        if (card.current) onEnd(gone, t("console-told-delete", { id, text: gone.title }), card.current);
      });
    }
  }

  const isAlive = ["active", "paused"].includes(status);
  const isBackground = kind === "background";
  const button = (/** @type {Action} */ action, text = t(`console-task-${action}`)) => html`
    <button key=${action} type="button" class="button" onClick=${() => change(action)}>${text}</button>`;
  const actions = html`
    ${status === "active" && !isBackground && button("pause")}
    ${status === "paused" && button("resume")}
    ${!task.running && button("run", t(isAlive ? "console-task-run" : "console-task-run-again"))}
    ${task.running && button("cancel")}
    ${isAlive && !isBackground && html`<a key="edit" class="button" href=${to`/tasks/${id}/edit`}>${t("console-task-edit")}</a>`}
    <button key="delete" type="button" class="button delete" onClick=${askToDelete}>${t("console-task-delete")}</button>`;

  return html`
    <${Card} label=${task.title} class="task" data-state=${task.running ? "running" : status} isBusy=${isBusy} problem=${problem}
             actions=${actions} ref=${card}>
      <div>
        <p class="task-head">
          <a class="task-title" dir="auto" href=${to`/tasks/${id}`}>${task.title}</a>
          <span class="quiet">#${id}</span> <${State} task=${task} />
        </p>
        <p class="task-when">
          ${!isBackground && html`<span class="often">${oftenOf(task)}</span>`}
          ${status === "active" && task.next_run_at && html` <${Time} class="next" at=${task.next_run_at} text=${`${t("console-task-next")} ${zoned(task.next_run_at)}`} />`}
        </p>
        <p class="quiet task-about">${[task.group, task.chat_title, task.skill, costOf(task)].filter(Boolean).join(" · ")}</p>
        <p class="quiet task-last" data-status=${last?.status ?? "coming"}>
          <${StateIcon} status=${last?.status ?? "coming"} />
          <a href=${to`/tasks/${id}`}>${last ? summaryOf(last) : t("console-task-not-yet")}</a>
        </p>
        ${task.running && last?.doing && html`<p class="doing" dir="ltr">${last.doing}</p>`}
        <p class="task-why">${[task.why, last?.status === "failed" && last.error].filter(Boolean).join(" ")}</p>
      </div>
    <//>`;
}

/** Times of the clock name their zone where it is not that of the page. @param {Task} task */
function oftenOf({ when, schedule_type: type, timezone }) {
  return type === "cron" && timezone !== boot.timezone ? `${when} (${timezone})` : when;
}

/** @param {Task} task */
function costOf({ kind, status, cost_per_run_usd: run, cost_per_month_usd: month }) {
  if (run === null || kind === "background" || status !== "active") return "";
  return t("console-task-cost", { money: dollars(run), month: dollars(month ?? 0) });
}

/** "under way for 12 min of about 30 minutes" @param {{ task: Task }} props */
function State({ task: { running, status, last_run: last, estimated_minutes: about } }) {
  const now = useNow(running);
  let text = status === "active" ? "" : t(`console-task-status-${status}`);
  if (running && last) {
    text = stateName(last.status);
    const time = last.started_at && span(Math.max(1, now - Date.parse(last.started_at)));
    if (time && about) text = t("console-task-elapsed-of", { text, time, most: minutes(about) });
    else if (time) text = t("console-task-elapsed", { text, time });
  }
  return html`<span class="mark task-state">${text}</span>`;
}
