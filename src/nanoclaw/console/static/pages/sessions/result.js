// What came of a session: who decided what, after how long, and the talk, if it was to be kept.
import { useState, html } from "../../vendor/index.js";
import { Time } from "../../components/time.js";
import { duration, place, t } from "../../texts.js";
import { fastOf } from "../inbox/record.js";

/** @import { WholeSession } from "api" */

/** @param {{ session: WholeSession }} props */
export function Result({ session: { question, concluded, outcome } }) {
  const { status, decided_name: name, user_input: notes, error, transcript, duration_ms: worked } = question;
  const isText = outcome === "approval" || outcome === "selection";
  /** @type {[string, unknown][]} */
  const facts = [
    ["console-session-by", name && [name, place(question.via)].filter(Boolean).join(" · ")],
    ["console-session-after", fastOf(question)],
    ["console-session-worked", worked === null ? "" : duration(worked)],
    ["console-session-error", error],
  ];
  return html`
    <section class="session-result outcome" data-status=${status}>
      <p><span class="mark status">${t(`console-status-${status}`)}</span> <${Time} at=${question.resolved_at ?? question.created_at} /></p>
      ${concluded && (isText ? html`<p class="concluded" dir="auto"><b>${concluded}</b></p>` : html`<pre class="concluded" dir="auto" tabindex="0">${concluded}</pre>`)}
      ${notes && notes !== concluded && html`<p dir="auto">${notes}</p>`}
      <dl class="facts">${facts.filter(([, text]) => text).map(([key, text]) => html`<dt key=${key}>${t(key)}</dt><dd>${text}</dd>`)}</dl>
      ${transcript && html`<${Transcript} text=${transcript} />`}
    </section>`;
}

/** It can be long: drawn when somebody wants it. @param {{ text: string }} props */
function Transcript({ text }) {
  const [isShown, show] = useState(false);
  return html`
    <details class="question-context" onToggle=${(/** @type {any} */ { currentTarget }) => show(currentTarget.open)}>
      <summary>${t("console-session-transcript")}</summary>
      ${isShown && html`<pre dir="auto" tabindex="0" role="region" aria-label=${t("console-session-transcript")}>${text}</pre>`}
    </details>`;
}
