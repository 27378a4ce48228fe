// The runs, the newest first: how each stands, about what, what it cost and how long it took.
import { get } from "../../call.js";
import { useNow } from "../../clock.js";
import { Card } from "../../components/card.js";
import { Field } from "../../components/form.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { go, query, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useState } from "../../vendor/index.js";
import { costText, timeRange, took, tookText } from "./figures.js";
import { standingOf, StateMark } from "./states.js";
import { calmNews, pipelineTabs } from "./tabs.js";

/** @import { PipelineRunLine } from "api" */

const PAGE = 20; // That the host gives at a time.
const STATUSES = ["running", "asked", "done", "failed", "cancelled"];

/** @param {{ template?: string | undefined, status?: any }} filter @param {number} wanted */
async function readRuns(filter, wanted) {
  /** @type {PipelineRunLine[]} */
  const runs = [];
  let page;
  do {
    page = await get("/api/pipelines/runs", { ...filter, limit: PAGE, before: runs.at(-1)?.id });
    runs.push(...page.runs);
  } while (page.more && runs.length < wanted);
  return { runs, more: page.more };
}

export default function Runs() {
  const template = query.value.get("template") ?? "";
  const status = query.value.get("status") ?? "";
  const [reach, setReach] = useState(PAGE);
  const filter = { template: template || undefined, status: status || undefined };
  const { data, problem, look } = useLookup(() => readRuns(filter, reach), { key: `${template} ${status}`, news: calmNews });
  const templates = useLookup(() => get("/api/pipelines", {}));
  useEffect(() => { if (reach > PAGE) look(); }, [reach]);

  const filterBy = (/** @type {string} */ name, /** @type {string} */ value) => {
    const wanted = new URLSearchParams([["template", template], ["status", status]]);
    wanted.set(name, value);
    for (const each of ["template", "status"]) if (!wanted.get(each)) wanted.delete(each);
    go(`/pipelines/runs${wanted.size ? `?${wanted}` : ""}`, { replace: true });
  };
  const names = new Map((templates.data?.templates ?? []).map(({ name, title }) => [name, title]));
  if (template && !names.has(template)) names.set(template, template);
  return html`
    <${Page} title=${t("console-pipelines")} tabs=${pipelineTabs()}>
      <div class="fields run-filters">
        <${Field} label=${t("console-pipeline-template")} value=${template}
                  choices=${[{ value: "", text: t("console-pipeline-any") }, ...[...names].map(([value, text]) => ({ value, text }))]}
                  onChange=${(/** @type {any} */ { target }) => filterBy("template", target.value)} />
        <${Field} label=${t("console-pipeline-status")} value=${status}
                  choices=${[{ value: "", text: t("console-pipeline-any") }, ...STATUSES.map((value) => ({ value, text: t(`console-step-${value}`) }))]}
                  onChange=${(/** @type {any} */ { target }) => filterBy("status", target.value)} />
      </div>
      <${List} items=${data?.runs ?? null} keyOf=${(/** @type {PipelineRunLine} */ { id }) => id} problem=${problem}
               none=${t(template || status ? "console-filter-none" : "console-pipeline-runs-none")} label=${t("console-pipelines-runs")}
               draw=${(/** @type {PipelineRunLine} */ run) => html`<${RunCard} run=${run} />`}
               more=${data?.more} onMore=${() => setReach(reach + PAGE)} />
    <//>`;
}

/** @param {{ run: PipelineRunLine }} props */
export function RunCard({ run }) {
  const isUnderWay = run.status === "running";
  const now = useNow(isUnderWay);
  const time = tookText(took(run.started_at, run.ended_at, now));
  return html`
    <${Card} label=${run.subject} class="run-card" data-state=${standingOf(run)}>
      <p class="task-head">
        <a class="task-title" dir="auto" href=${to`/pipelines/runs/${run.id}`}>${run.subject}</a>
        <${StateMark} state=${standingOf(run)} />
        ${run.questions.length > 0 && html`<span class="mark waits">${t("console-pipeline-waits")}</span>`}
      </p>
      <p class="run-figures">
        <span>${t("console-pipeline-progress", { done: run.steps_done, count: run.steps_total })}</span>
        <span>${costText(run)}</span>
        ${time && html`<span>${run.expected_seconds && !isUnderWay ? t("console-pipeline-of", { is: time, expected: timeRange(run.expected_seconds) }) : time}</span>`}
      </p>
      <progress max=${run.steps_total} value=${run.steps_done} aria-hidden="true"></progress>
      <p class="quiet">${[run.title, run.now.join(", "), run.group, run.started_by].filter(Boolean).join(" · ")} · <${Time} at=${run.created_at} /> · <code>${run.short}</code></p>
      ${run.why && html`<p class="task-why" dir="auto">${run.why}</p>`}
    <//>`;
}
