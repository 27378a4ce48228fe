// A step of a run: what it was given, what it made, what its gates asked for, what it cost, and the way to run it again.
import { get } from "../../call.js";
import { useNow } from "../../clock.js";
import { Sentence } from "../../components/list.js";
import { CopyButton, Markup } from "../../components/markup.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { to, visits } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef } from "../../vendor/index.js";
import { money, took, tookText } from "./figures.js";
import { isOpen, roleOf, StateMark } from "./states.js";
import { calmNews } from "./tabs.js";

/** @import { PipelineRun, PipelineStep, ShownText } from "api" */

const isNarrow = matchMedia("(max-width: 999.98px)"); // Then it stands below the picture.

/** `isAsked`: the person chose this step. @param {{ run: PipelineRun, step: PipelineStep, isOver: boolean, isAsked: boolean }} props */
export function StepDetails({ run, step, isOver, isAsked }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => { if (isAsked && isNarrow.matches && visits.peek()) place.current?.scrollIntoView({ behavior: "smooth" }); }, [isAsked]);
  const isDone = run.steps.every(({ number, state }) => number >= step.number || state === "done" || state === "skipped");
  return html`
    <section class="step" aria-labelledby="step-title" ref=${place}>
      <header class="step-head">
        <h2 id="step-title">${step.number}. <bdi>${roleOf(step)}</bdi></h2>
        <${StateMark} state=${step.state} />
        ${isOver && isDone && html`
          <a class="button" href=${to`/pipelines/runs/${run.id}/again/${step.number}`}>${t("console-pipeline-again-here")}</a>`}
      </header>
      ${step.why && html`<p class="task-why" dir="auto">${step.why}</p>`}
      <${Facts} step=${step} />
      <${Gates} step=${step} />
      ${step.claims.length > 0 && html`
        <div class="step-warning">
          <p><b>${t("console-step-claims")}</b></p>
          <ul>${step.claims.map(({ key, claimed, counted }) => html`<li key=${key}>${t("console-step-claim", { key, claimed, counted })}</li>`)}</ul>
        </div>`}
      ${step.faults.length > 0 && html`
        <div class="step-warning">
          <p><b>${t("console-step-faults")}</b></p>
          <ul>${step.faults.map((fault, index) => html`<li key=${index} dir="auto">${fault}</li>`)}</ul>
        </div>`}
      <${Texts} run=${run} step=${step} />
    </section>`;
}

/** @param {{ step: PipelineStep }} props */
function Facts({ step }) {
  const now = useNow(isOpen(step));
  /** @type {[string, unknown][]} */
  const facts = [
    ["console-step-how", [t(`console-step-type-${step.type}`), step.skill, step.model].filter(Boolean).join(" · ")],
    ["console-pipeline-cost", step.cost_usd ? money(step.cost_usd) : ""],
    ["console-pipeline-budget", step.budget_usd === null ? "" : money(step.budget_usd)],
    ["console-pipeline-time", tookText(took(step.started_at, step.ended_at, now))],
    ["console-step-began", step.started_at && html`<${Time} at=${step.started_at} />`],
    ["console-step-attempts", step.attempt > 1 ? String(step.attempt) : ""],
    ["console-step-condition", step.conditions.join(", ")],
    ["console-step-files", step.files.join(", ")],
    ["console-step-note", step.note && html`<span dir="auto">${step.note}</span>`],
  ];
  return html`<dl class="facts">${facts.filter(([, text]) => text).map(([key, text]) => html`<dt key=${key}>${t(key)}</dt><dd>${text}</dd>`)}</dl>`;
}

/** What the gates asked for, and what else the agent handed in. @param {{ step: PipelineStep }} props */
function Gates({ step: { gate_values: gates, results } }) {
  const asked = new Set(gates.map(({ gate }) => gate.match(/^[\w-]+/)?.[0]));
  const others = Object.entries(results).filter(([key]) => !asked.has(key));
  if (!gates.length && !others.length) return null;
  return html`
    <ul class="gates" aria-label=${t("console-step-results")}>
      ${gates.map(({ gate, value, passed }) => html`
        <li key=${gate} data-passed=${passed === null ? null : String(passed)}>
          <code>${gate}</code> ${value !== null && html`<b dir="auto">${value}</b> <span>${t(passed ? "console-gate-passed" : "console-gate-failed")}</span>`}
        </li>`)}
      ${others.map(([key, value]) => html`<li key=${key}><code>${key}</code> <span dir="auto">${shownValue(value)}</span></li>`)}
    </ul>`;
}

/** @param {unknown} value */
const shownValue = (value) => (Array.isArray(value) ? value.join(", ") : String(value)) || "–";

/** What it was given, and what it made. @param {{ run: PipelineRun, step: PipelineStep }} props */
function Texts({ run, step }) {
  const { data, problem } = useLookup(
    () => get("/api/pipelines/runs/{run}/steps/{step}", { run: run.id, step: step.number }), { key: `${run.id} ${step.number}`, news: calmNews });
  if (!data) return html`<${Sentence} text=${problem} />`;
  const hasInput = step.changed_input !== null || data.inputs.length > 0;
  return html`
    ${hasInput && html`
      <div class="step-part">
        <h3>${t("console-step-input")}</h3>
        ${step.changed_input !== null
          ? html`<details><summary>${t("console-step-changed-input")}</summary><p class="step-plain" dir="auto">${step.changed_input}</p></details>`
          : data.inputs.map((each) => html`
            <details key=${each.number}>
              <summary>${t("console-step-from", { number: each.number, role: roleOf(each) })}</summary>
              ${each.texts.map((text) => html`<${Text} key=${text.name} text=${text} isNamed=${each.texts.length > 1} />`)}
            </details>`)}
      </div>`}
    ${data.texts.length > 0 && html`
      <div class="step-part">
        <h3>${t(step.state === "asked" ? "console-step-output-asked" : "console-step-output")}</h3>
        ${data.texts.map((text) => html`<${Text} key=${text.name} text=${text} isNamed=${data.texts.length > 1} />`)}
      </div>`}`;
}

/** @param {{ text: ShownText, isNamed: boolean }} props */
function Text({ text, isNamed }) {
  const article = useRef(/** @type {HTMLElement | null} */ (null));
  return html`
    <div class="step-text">
      <p class="step-text-head">${isNamed && html`<b>${text.name}</b>`}<${CopyButton} class="link" of=${() => article.current} /></p>
      <article class="bubble" dir="auto" tabindex="0" role="region" aria-label=${isNamed ? text.name : t("console-step-output")} ref=${article}>
        <${Markup} source=${text.html} text=${text.text} />
      </article>
    </div>`;
}
