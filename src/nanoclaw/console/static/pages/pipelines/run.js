// One run, live: how far it is, what it waits for, the picture of its steps, and the step that is looked at.
import { get, post } from "../../call.js";
import { useNow } from "../../clock.js";
import { isMeant } from "../../components/dialog.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useSettled } from "../../components/settled.js";
import { useLookup } from "../../lookup.js";
import { query, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useMemo } from "../../vendor/index.js";
import { CompareWith } from "./compare-with.js";
import { costText, money, timeRange, took, tookText } from "./figures.js";
import { Picture } from "./picture.js";
import { RunQuestion } from "./question.js";
import { isOpen, standingOf, StateMark } from "./states.js";
import { StepDetails } from "./step.js";
import { calmNews, takeTold } from "./tabs.js";

/** @import { PipelineRun, PipelineStep } from "api" */

/** @param {{ run: string }} props */
export default function Run({ run: id }) {
  const { data: run, problem, look, put } = useLookup(() => get("/api/pipelines/runs/{run}", { run: id, texts: false }), { key: id, news: calmNews });
  const settled = useSettled(useMemo(takeTold, [id]));
  useEffect(() => { if (settled.text) settled.focus(); }, []);

  async function cancel() {
    await isMeant({
      title: t("console-pipeline-cancel-title"),
      sentence: t("console-pipeline-cancel-sentence"),
      quote: run?.subject ?? "",
      act: t("console-pipeline-cancel"),
      cancel: t("console-pipeline-cancel-not"),
      run: async () => put(await post("/api/pipelines/runs/{run}/cancel", { run: id })),
    });
  }

  const isOver = run && !["asked", "running"].includes(run.status);
  const chosen = run && shownStep(run, query.value.get("step"));
  const actions = run && html`
    ${!isOver && html`<button key="cancel" type="button" class="button danger" onClick=${cancel}>${t("console-pipeline-cancel")}</button>`}
    ${isOver && html`<a key="again" class="button" href=${to`/pipelines/runs/${run.id}/again/${resumeAt(run)}`}>${t("console-pipeline-again")}</a>`}`;
  return html`
    <${Page} title=${run?.subject ?? t("console-pipelines")} back="/pipelines/runs" isBackBefore actions=${actions}>
      <${Settled} settled=${settled} />
      ${!run && html`<${Sentence} text=${problem || t("console-loading")} />`}
      ${run && html`
        <${Summary} run=${run} />
        ${run.questions.map((question) => html`<${RunQuestion} key=${question} id=${question} onSaid=${settled.say} onEnd=${look} />`)}
        <div class="run-parts">
          <${Picture} steps=${run.steps} rows=${run.rows} about=${(/** @type {PipelineStep} */ step) => html`<${StepLine} step=${step} />`} chosen=${chosen?.number}
                      hrefOf=${(/** @type {number} */ number) => `${to`/pipelines/runs/${id}`}?step=${number}`} />
          ${chosen && html`<${StepDetails} key=${chosen.number} run=${run} step=${chosen} isOver=${Boolean(isOver)} isAsked=${String(chosen.number) === query.value.get("step")} />`}
        </div>
        <${CompareWith} run=${run} />`}
    <//>`;
}

/** The one of the address; else what is under way, or was last: who watches need not follow by hand. @param {PipelineRun} run @param {string | null} asked */
function shownStep({ steps }, asked) {
  const byNumber = steps.find(({ number }) => String(number) === asked);
  const underWay = steps.find(isOpen);
  return byNumber ?? underWay ?? steps.find(({ state }) => state === "failed") ?? steps.findLast(({ texts }) => texts.length > 0) ?? steps[0];
}

/** Where a run that did not reach its end would continue; one that did starts over. @param {PipelineRun} run */
const resumeAt = ({ steps }) => steps.find(({ state }) => state !== "done" && state !== "skipped")?.number ?? 1;

/** @param {{ run: PipelineRun }} props */
function Summary({ run }) {
  const now = useNow(run.status === "running");
  const time = tookText(took(run.started_at, run.ended_at, now));
  /** @type {[string, unknown][]} */
  const facts = [
    ["console-pipeline-template", html`<a href=${to`/pipelines/templates/${run.template}/edit`}>${run.title}</a>`],
    ["console-pipeline-cost", costText(run)],
    ["console-pipeline-budget", run.budget_usd === null ? "" : money(run.budget_usd)],
    ["console-pipeline-time", time && run.expected_seconds ? t("console-pipeline-of", { is: time, expected: timeRange(run.expected_seconds) }) : time],
    ["console-pipeline-by", [run.started_by, run.group, run.chat_title].filter(Boolean).join(" · ")],
    ["console-pipeline-repeats", run.again_of && html`
      <a href=${to`/pipelines/runs/${run.again_of}`}><code>${run.again_of.slice(-5)}</code></a> ${t("console-pipeline-from", { step: run.from_step })}`],
  ];
  return html`
    <div class="run-summary" data-state=${standingOf(run)}>
      <p class="run-status" role="status">
        <${StateMark} state=${standingOf(run)} />
        <span>${t("console-pipeline-progress", { done: run.steps_done, count: run.steps_total })}</span>
        ${run.message_id && html`<a class="quiet" href=${to`/why/${run.message_id}`}>${t("console-why")}</a>`}
      </p>
      ${run.why && html`<p class="task-why" dir="auto">${run.why}</p>`}
      <dl class="facts">${facts.filter(([, text]) => text).map(([key, text]) => html`<dt key=${key}>${t(key)}</dt><dd>${text}</dd>`)}</dl>
    </div>`;
}

/** Gate values, cost and time below the name of a step. @param {{ step: PipelineStep }} props */
function StepLine({ step }) {
  const now = useNow(isOpen(step));
  const gates = step.gate_values.map(({ gate, value, passed }) => value === null ? gate : `${gate}: ${value} ${passed ? "✓" : "✗"}`);
  const spent = step.cost_usd ? money(step.cost_usd) : "";
  return [...gates, spent, tookText(took(step.started_at, step.ended_at, now))].filter(Boolean).join(" · ");
}
