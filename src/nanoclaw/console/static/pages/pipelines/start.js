// Start a run: about what, for whom, and for how much at most; what it will cost stands there before.
import { get, post } from "../../call.js";
import { Field, Form } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { go, goBack, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { authors, basis, expected, moneyRange, timeRange } from "./figures.js";
import { Picture, planOf } from "./picture.js";
import { told } from "./tabs.js";

/** @import { PipelineTemplate, PlannedStep } from "api" */

/** @param {{ template: string }} props */
export default function Start({ template: name }) {
  const { data, problem } = useLookup(async () => {
    const [{ templates }, { groups }] = await Promise.all([get("/api/pipelines", {}), get("/api/groups", {})]);
    return { template: templates.find((each) => each.name === name), groups };
  }, { key: name });
  return html`
    <${Page} title=${data?.template?.title ?? name} back="/pipelines">
      ${data?.template
        ? html`<${StartForm} template=${data.template} groups=${data.groups} />`
        : html`<${Sentence} text=${problem || t(data ? "console-pipeline-gone" : "console-loading")} />`}
    <//>`;
}

/** @param {{ template: PipelineTemplate, groups: import("api").Group[] }} props */
function StartForm({ template, groups }) {
  const [group, setGroup] = useState(groups.find(({ main }) => main)?.name ?? groups[0]?.name ?? "");
  const estimate = useLookup(() => get("/api/pipelines/estimate", { template: template.name, group }), { key: group });
  const first = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => first.current?.querySelector("textarea")?.focus(), []);
  const id = useRef(crypto.randomUUID()).current; // Sent twice, it is one run.

  async function send(/** @type {HTMLFormElement} */ form) {
    const given = new FormData(form);
    const budget = String(given.get("budget") ?? "").trim().replace(",", ".");
    if (budget && !(Number(budget) > 0)) throw new Error(t("console-pipeline-budget-wrong"));
    const run = await post("/api/pipelines/runs", {}, {
      template: template.name, subject: String(given.get("subject") ?? ""), group, budget: budget ? Number(budget) : null, id,
    });
    told.value = t("console-pipeline-told-start");
    go(to`/pipelines/runs/${run.id}`, { replace: true });
  }

  const steps = new Map((estimate.data?.steps ?? []).map((step) => [step.number, step]));
  const about = (/** @type {PlannedStep} */ step) => {
    const known = steps.get(step.number);
    return [planOf({ ...step, model: known?.model ?? step.model }), known ? [moneyRange(known.cost_usd), timeRange(known.seconds)].filter(Boolean).join(", ") : ""]
      .filter(Boolean).join(" · ");
  };
  return html`
    ${template.description && html`<p dir="auto">${template.description}</p>`}
    <${Form} class="task-form" submit=${t("console-pipeline-start-now")} onSubmit=${send} onCancel=${() => goBack("/pipelines")} aria-label=${t("console-pipeline-start")}>
      <div ref=${first}><${Field} label=${t("console-pipeline-subject")} name="subject" rows="2" maxlength="1000" placeholder=${t("console-pipeline-subject-example")} /></div>
      <div class="fields">
        <${Field} label=${t("console-task-group")} value=${group} choices=${groups.map(({ name }) => ({ value: name, text: name }))}
                  onChange=${(/** @type {any} */ { target }) => setGroup(target.value)} />
        <${Field} label=${t("console-pipeline-budget-most")} name="budget" inputmode="decimal" maxlength="12" defaultValue=${template.budget_usd ?? ""}
                  placeholder=${t("console-pipeline-budget-none")} />
      </div>
      <div class="understood" role="status">
        ${estimate.data
          ? html`<p><b>${expected(estimate.data)}</b></p><p class="quiet">${[basis(estimate.data), authors(estimate.data), t("console-pipeline-waits-apart")].filter(Boolean).join(" ")}</p>`
          : html`<p class="quiet">${estimate.problem || t("console-loading")}</p>`}
      </div>
    <//>
    <${Picture} steps=${template.steps} rows=${template.rows} about=${about} />`;
}
