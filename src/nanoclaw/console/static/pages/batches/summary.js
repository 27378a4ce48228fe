// How a batch stands: figures, money, parts at the vendor, what is scheduled and what was saved.
import { Time } from "../../components/time.js";
import { zoned } from "../../moments.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { costText, money } from "../pipelines/figures.js";
import { colourOf, standingOf, StateMark } from "./states.js";

/** @import { Batch } from "api" */

/** @param {{ batch: Batch }} props */
export function Summary({ batch }) {
  const { counts, scheduled, saved } = batch;
  const ended = counts.succeeded + counts.errored + counts.expired + counts.canceled;
  /** @type {[string, unknown][]} */
  const facts = [
    ["console-batch-check", counts.succeeded ? t("console-batch-passed", { count: counts.passed }) : ""],
    ["console-batch-decided", counts.approved || counts.rejected ? t("console-batch-verdicts", { approved: counts.approved, rejected: counts.rejected }) : ""],
    ["console-batch-cost", costText(batch)],
    ["console-batch-one-by-one", batch.one_by_one_usd ? money(batch.one_by_one_usd) : ""],
    ["console-batch-how", [batch.model, batch.skill, batch.channel].filter(Boolean).join(" · ")],
    ["console-batch-by", [batch.started_by, batch.group, batch.chat_title].filter(Boolean).join(" · ")],
    ["console-batch-scheduled", scheduled && (scheduled.count || scheduled.left) ? html`
      <a href="/tasks/calendar">${t("console-batch-texts-wait", { count: scheduled.count + scheduled.left })}</a>
      ${scheduled.next_at && html`<span> · <${Time} at=${scheduled.next_at} text=${zoned(scheduled.next_at)} /></span>`}
      ${scheduled.last_at && html`<span> – <${Time} at=${scheduled.last_at} text=${zoned(scheduled.last_at)} /></span>`}` : ""],
    ["console-batch-saved", saved ? saved.folder ? html`<code>${saved.folder}</code>` : t("console-batch-saving") : ""],
  ];
  return html`
    <div class="run-summary" data-state=${colourOf(standingOf(batch))}>
      <p class="run-status" role="status">
        <${StateMark} state=${standingOf(batch)} />
        <span>${t("console-batch-written", { done: counts.succeeded, count: batch.items })}</span>
        ${counts.errored + counts.expired > 0 && html`<span>${t("console-batch-failed-count", { count: counts.errored + counts.expired })}</span>`}
        <code class="quiet">${batch.short}</code>
      </p>
      <progress class="batch-progress" max=${batch.items} value=${ended} aria-hidden="true"></progress>
      ${batch.why && html`<p class="task-why" dir="auto">${batch.why}</p>`}
      <dl class="facts">${facts.filter(([, text]) => text).map(([key, text]) => html`<dt key=${key}>${t(key)}</dt><dd>${text}</dd>`)}</dl>
      ${batch.parts.length > 0 && html`
        <details class="batch-parts">
          <summary>${t("console-batch-parts", { count: batch.parts.length })}</summary>
          <ul>${batch.parts.map((part) => html`
            <li key=${part.number}>${t("console-batch-part", { number: part.number, first: part.first_item, last: part.last_item })} · ${t(`console-part-${part.state}`)}
              ${part.vendor_id && html` · <code>${part.vendor_id}</code>`}
              ${part.state === "sent" && part.expires_at && html` · ${t("console-batch-expires")} <${Time} at=${part.expires_at} text=${zoned(part.expires_at)} />`}</li>`)}</ul>
        </details>`}
    </div>`;
}
