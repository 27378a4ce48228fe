// Two runs side by side: what each step cost and took, and how their texts differ.
import { get } from "../../call.js";
import { Field } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { calmed, pipelines } from "../../news.js";
import { go, query, to } from "../../router.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { Diff } from "../context/diff.js";
import { compareAddress, runName } from "./compare-with.js";
import { money, took, tookText } from "./figures.js";
import { roleOf, StateMark } from "./states.js";

/** @import { ComparedStep, PipelineRun, PipelineRunLine, PipelineStep, RunsCompared } from "api" */

const calmNews = calmed(pipelines);
const MOST = 50;

export default function Compare() {
  const [one, other] = [query.value.get("one") ?? "", query.value.get("other") ?? ""];
  const { data, problem } = useLookup(() => get("/api/pipelines/compare", { one, other }), { key: `${one} ${other}`, news: calmNews });
  return html`
    <${Page} title=${t("console-pipeline-compare")} back="/pipelines/runs" isBackBefore>
      ${data
        ? html`<${Compared} compared=${data} />`
        : html`<${Sentence} text=${problem || t("console-loading")} />`}
    <//>`;
}

/** @param {{ compared: RunsCompared }} props */
function Compared({ compared: { one, other, steps } }) {
  return html`
    <div class="compared-heads">
      <${Head} run=${one} onChange=${(/** @type {string} */ id) => go(compareAddress(id, other.id), { replace: true })} label=${t("console-compare-one")} />
      <${Head} run=${other} onChange=${(/** @type {string} */ id) => go(compareAddress(one.id, id), { replace: true })} label=${t("console-compare-other")} />
    </div>
    <ol class="compared">
      ${steps.map((step, index) => html`<li key=${index}><${Step} compared=${step} one=${one.steps[(step.one ?? 0) - 1]} other=${other.steps[(step.other ?? 0) - 1]} /></li>`)}
    </ol>`;
}

/** @param {{ run: PipelineRun, label: string, onChange: (id: string) => void }} props */
function Head({ run, label, onChange }) {
  const { data } = useLookup(() => get("/api/pipelines/runs", { template: run.template, limit: MOST }), { key: run.template });
  /** @type {PipelineRunLine[]} */
  const runs = data?.runs ?? [];
  const all = runs.some(({ id }) => id === run.id) ? runs : [run, ...runs];
  return html`
    <div class="card compared-head">
      <${Field} label=${label} value=${run.id} choices=${all.map((each) => ({ value: each.id, text: runName(each) }))}
                onChange=${(/** @type {any} */ { target }) => onChange(target.value)} />
      <p class="task-head"><a class="task-title" dir="auto" href=${to`/pipelines/runs/${run.id}`}>${run.subject}</a> <${StateMark} state=${run.status} /></p>
      <p class="run-figures"><span>${money(run.cost_usd)}</span><span>${tookText(took(run.started_at, run.ended_at, Date.now()))}</span></p>
    </div>`;
}

/** @param {{ compared: ComparedStep, one?: PipelineStep | undefined, other?: PipelineStep | undefined }} props */
function Step({ compared, one, other }) {
  const step = one ?? other;
  const changed = compared.texts.filter(({ same }) => !same);
  return html`
    <section class="card compared-step" aria-label=${compared.role}>
      <h2>${step && `${step.number}. `}<bdi>${step && roleOf(step)}</bdi></h2>
      <div class="compared-sides"><${Side} step=${one} /><${Side} step=${other} /></div>
      ${compared.texts.length > 0 && changed.length === 0 && html`<p class="quiet">${t("console-compare-same")}</p>`}
      ${changed.map(({ name, diff }) => html`
        <details key=${name} open=${diff.length < SHORT}>
          <summary>${compared.texts.length > 1 ? t("console-compare-text", { name }) : t("console-compare-difference")}</summary>
          <${Diff} text=${diff} />
        </details>`)}
    </section>`;
}

const SHORT = 4000; // Letters that can be taken in without asking for them.

/** @param {{ step?: PipelineStep | undefined }} props */
function Side({ step }) {
  if (!step) return html`<p class="quiet">${t("console-compare-missing")}</p>`;
  const gates = step.gate_values.filter(({ value }) => value !== null).map(({ gate, value, passed }) => `${gate}: ${value} ${passed ? "✓" : "✗"}`);
  const parts = [...gates, money(step.cost_usd), tookText(took(step.started_at, step.ended_at, Date.now()))];
  return html`<p><${StateMark} state=${step.state} /> <span class="run-figures">${parts.filter(Boolean).map((part) => html`<span key=${part}>${part}</span>`)}</span></p>`;
}
