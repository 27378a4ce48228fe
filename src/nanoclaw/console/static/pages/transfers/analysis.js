// An analysis that came back: what was found in it, each with its source; its decisions are adopted here, and all of it can be undone.
import { post } from "../../call.js";
import { Card } from "../../components/card.js";
import { isMeant } from "../../components/dialog.js";
import { Field, Form, Tick } from "../../components/form.js";
import { Time } from "../../components/time.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { choiceOf, colourOf, isUnderWay, StateMark } from "./states.js";

/** @import { Analysis, Found, FoundDecision } from "api" */

/** @param {{ analysis: Analysis, onChange: () => unknown, onSaid: (text: string) => void }} props */
export function AnalysisCard({ analysis, onChange, onSaid }) {
  const { id, facts, decisions, context_changes: changes } = analysis;
  const isTaken = analysis.state === "imported";
  const undo = () => isMeant({
    title: t("console-analysis-undo-title"),
    sentence: t("console-analysis-undo-sentence"),
    quote: analysis.file_name,
    act: t("console-analysis-undo"),
    run: async () => {
      await post("/api/analyses/{analysis}/undo", { analysis: id });
      onSaid(t("console-analysis-told-undone"));
      onChange();
    },
  });
  const actions = isTaken && html`<button type="button" class="button danger" onClick=${undo}>${t("console-analysis-undo")}</button>`;
  return html`
    <${Card} label=${analysis.file_name} class="analysis-card" data-state=${colourOf(analysis.state)} actions=${actions}>
      <p class="task-head"><b dir="auto">${analysis.file_name}</b><${StateMark} kind="analysis" state=${analysis.state} /></p>
      <p class="quiet"><bdi>${analysis.brought_by}</bdi> · ${t(`console-analysis-via-${analysis.via}`)} · <${Time} at=${analysis.created_at} />
        ${analysis.undone_at && html` · ${t("console-analysis-undone-by", { name: analysis.undone_by ?? "" })}`}</p>
      ${isUnderWay(analysis) && html`<p class="quiet" role="status">${t("console-analysis-reading")}</p>`}
      ${analysis.why && html`<p class="task-why" dir="auto">${analysis.why}</p>`}
      ${analysis.summary && html`<p>${analysis.summary}</p>`}
      ${analysis.state === "asking" && html`<${Match} analysis=${analysis} onChange=${onChange} />`}
      ${facts.length > 0 && html`
        <h3>${t("console-analysis-facts", { count: facts.length })}</h3>
        <ul class="found">${facts.map((each, place) => html`<li key=${place}><${Entry} found=${each} /></li>`)}</ul>`}
      ${decisions.length > 0 && html`
        <h3>${t("console-analysis-decisions", { count: decisions.length })}</h3>
        <${Decisions} analysis=${analysis} onChange=${onChange} onSaid=${onSaid} />`}
      ${changes.length > 0 && html`
        <h3>${t("console-analysis-changes", { count: changes.length })}</h3>
        <ul class="found">${changes.map((each, place) => html`
          <li key=${place}><a href=${addressOf(each.file, analysis.company)}><code>${each.file}</code></a> <${Entry} found=${each} /></li>`)}</ul>
        ${isTaken && html`<p class="quiet">${t("console-analysis-changes-about")}</p>`}`}
      ${analysis.next_step && html`<p><b>${t("console-analysis-next")}</b> <span dir="auto">${analysis.next_step}</span></p>`}
    <//>`;
}

/** @param {string} file as product/pricing @param {string} company */
function addressOf(file, company) {
  const [area, name] = file.split("/");
  return `${to`/context/${area}/${name}`}?company=${encodeURIComponent(company)}`;
}

/** @param {{ found: Found }} props */
const Entry = ({ found: { text, source } }) => html`
  <span class="found-text" dir="auto">${text}</span>${source && html`<q class="found-source" dir="auto" title=${t("console-analysis-source")}>${source}</q>`}`;

/** They bind nobody until someone says so. @param {{ analysis: Analysis, onChange: () => unknown, onSaid: (text: string) => void }} props */
function Decisions({ analysis, onChange, onSaid }) {
  const { id, decisions } = analysis;
  const isOpen = analysis.state === "imported" && decisions.some(({ adopted }) => adopted === null);
  if (!isOpen) {
    return html`
      <ul class="found">${decisions.map((each) => html`
        <li key=${each.number}>${each.adopted !== null && html`<span class="mark">${t(each.adopted ? "console-analysis-adopted" : "console-analysis-left")}</span> `}<${Entry} found=${each} /><${Rationale} decision=${each} /></li>`)}</ul>`;
  }
  return html`
    <${Form} submit=${t("console-analysis-adopt")} class="decisions-form"
             onSubmit=${async (/** @type {HTMLFormElement} */ form) => {
               const adopted = new FormData(form).getAll("adopted").map(Number);
               await post("/api/analyses/{analysis}/decide", { analysis: id }, { adopted });
               onSaid(t("console-analysis-told-adopted", { count: adopted.length }));
               onChange();
             }}>
      <p class="quiet">${t("console-analysis-decisions-about")}</p>
      <ul class="found ticks">${decisions.map((each) => html`
        <li key=${each.number}><${Tick} name="adopted" value=${String(each.number)} label=${html`<span><${Entry} found=${each} /></span>`} /><${Rationale} decision=${each} /></li>`)}</ul>
    <//>`;
}

/** @param {{ decision: FoundDecision }} props */
const Rationale = ({ decision: { rationale } }) => rationale ? html`<span class="quiet rationale" dir="auto">${rationale}</span>` : null;

/** @param {{ analysis: Analysis, onChange: () => unknown }} props */
const Match = ({ analysis: { id, choices }, onChange }) => html`
  <${Form} submit=${t("console-analysis-match")}
           onSubmit=${async (/** @type {any} */ { elements }) => {
             await post("/api/analyses/{analysis}/match", { analysis: id }, { transfer: elements.transfer.value });
             onChange();
           }}>
    <${Field} label=${t("console-analysis-which")} name="transfer"
              choices=${choices.map(choiceOf)} />
  <//>`;
