// Run again from a step on, with another input if wanted. The old run stays as it is.
import { get, post } from "../../call.js";
import { Field, Form } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { go, goBack, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { roleOf } from "./states.js";
import { told } from "./tabs.js";

/** @import { PipelineRun } from "api" */

/** @param {{ run: string, step: string }} props */
export default function Again({ run: id, step }) {
  const { data: run, problem } = useLookup(() => get("/api/pipelines/runs/{run}", { run: id }), { key: id });
  return html`
    <${Page} title=${t("console-pipeline-again-title")} back=${to`/pipelines/runs/${id}`}>
      ${run
        ? html`<${AgainForm} run=${run} from=${Number(step)} />`
        : html`<${Sentence} text=${problem || t("console-loading")} />`}
    <//>`;
}

/** @param {{ run: PipelineRun, from: number }} props */
function AgainForm({ run, from: first }) {
  const [from, setFrom] = useState(first);
  const before = inputOf(run, from);
  const [text, setText] = useState(/** @type {string | null} */ (null)); // Null as long as nobody has changed it.
  const [note, setNote] = useState("");
  const possible = run.steps.filter(({ number }) => run.steps.every((each) => each.number >= number || each.state === "done" || each.state === "skipped"));

  async function send() {
    const changed = text !== null && text !== before && text.trim() ? text : null;
    const again = await post("/api/pipelines/runs/{run}/retry", { run: run.id }, { from_step: from, text: changed, note: note.trim() || null });
    told.value = t("console-pipeline-told-again", { step: from });
    go(to`/pipelines/runs/${again.id}`, { replace: true });
  }

  return html`
    <${Form} class="task-form" submit=${t("console-pipeline-again")} onSubmit=${send} onCancel=${() => goBack(to`/pipelines/runs/${run.id}`)}
             aria-label=${t("console-pipeline-again-title")}>
      <p dir="auto"><b>${run.subject}</b></p>
      <p class="quiet">${t("console-pipeline-again-about")}</p>
      <${Field} label=${t("console-pipeline-again-from")} value=${String(from)}
                choices=${possible.map((step) => ({ value: String(step.number), text: `${step.number}. ${roleOf(step)}` }))}
                onChange=${(/** @type {any} */ { target }) => {
                  setFrom(Number(target.value));
                  setText(null);
                }} />
      <${Field} class="long-text" label=${t("console-pipeline-again-input")} rows="12" value=${text ?? before} hint=${t("console-pipeline-again-input-hint")}
                onInput=${(/** @type {any} */ { target }) => setText(target.value)} />
      <${Field} label=${t("console-pipeline-again-note")} rows="2" maxlength="1000" value=${note}
                onInput=${(/** @type {any} */ { target }) => setNote(target.value)} />
    <//>`;
}

/** What a step was given: what a person changed it to, or else the texts of the steps before it. @param {PipelineRun} run @param {number} number */
function inputOf(run, number) {
  const step = run.steps[number - 1];
  if (!step) return "";
  const texts = step.given.flatMap((each) => run.steps[each - 1]?.texts ?? []);
  return step.changed_input ?? (texts.length ? texts.map(({ text }) => text).join("\n\n") : run.subject);
}
