// One text of a batch in the list: its topic, how it stands, what the check found, and the text itself.
import { Card } from "../../components/card.js";
import { Markup } from "../../components/markup.js";
import { Time } from "../../components/time.js";
import { zoned } from "../../moments.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { StateMark, stateOf } from "./states.js";

/** @import { BatchText } from "api" */

/** @param {{ batch: string, text: BatchText, onAgain: () => void }} props */
export function TextCard({ batch, text, onAgain }) {
  const hasFailed = ["errored", "expired", "canceled"].includes(text.state);
  return html`
    <${Card} label=${text.topic} class="batch-text" data-state=${stateOf(text)}
             actions=${hasFailed && html`<button type="button" class="button" onClick=${onAgain}>${t("console-batch-again-one")}</button>`}>
      <p class="task-head">
        <span class="quiet">${text.number}</span>
        ${text.state === "succeeded"
          ? html`<a class="task-title" dir="auto" href=${`${to`/batches/${batch}/review`}?number=${text.number}&only=all`}>${text.topic}</a>`
          : html`<span class="task-title" dir="auto">${text.topic}</span>`}
        <${StateMark} state=${stateOf(text)} kind="text" />
        <${SendTime} text=${text} />
      </p>
      <${Faults} text=${text} />
      ${text.error && html`<p class="task-why" dir="auto">${text.error}</p>`}
      ${text.text && html`<details><summary>${firstWords(text.text)}</summary><div class="markup" dir="auto"><${Markup} source=${text.html} text=${text.text} /></div></details>`}
    <//>`;
}

/** @param {{ text: BatchText }} props */
export const Faults = ({ text }) => html`
  ${text.grade !== null && html`<p class="quiet">${t("console-batch-grade-of", { grade: text.grade })}</p>`}
  ${text.faults.length > 0 && html`<ul class="batch-faults">${text.faults.map((fault) => html`<li key=${fault}>${fault}</li>`)}</ul>`}`;

/** @param {{ text: BatchText }} props */
export function SendTime({ text }) {
  if (text.task_id === null) return null;
  const when = text.is_sent ? t("console-batch-is-sent") : text.send_at ? zoned(text.send_at) : "";
  return html`<a class="quiet" href=${to`/tasks/${text.task_id}`}>${text.send_at && !text.is_sent ? html`<${Time} at=${text.send_at} text=${when} />` : when}</a>`;
}

/** @param {string} text */
function firstWords(text) {
  const words = text.replace(/[#*_`>]/g, "").trim().split(/\s+/).join(" ");
  return words.length > 160 ? `${words.slice(0, 160)}…` : words;
}
