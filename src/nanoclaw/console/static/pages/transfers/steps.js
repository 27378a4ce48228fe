// How far a transfer is, as a line of steps, and what is known about it.
import { Icon } from "../../components/icon.js";
import { Time } from "../../components/time.js";
import { useNow } from "../../clock.js";
import { to } from "../../router.js";
import { span, t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import * as rooms from "../chats/rooms.js";
import { colourOf, standingOf, StateMark, targetName } from "./states.js";

/** @import { Transfer } from "api" */

/** @param {{ transfer: Transfer }} props */
export function Steps({ transfer }) {
  const left = Date.parse(transfer.expires_at) - useNow();
  const standing = standingOf(transfer);
  const chat = html`<bdi>${transfer.chat_title || transfer.group}</bdi>`;
  const went = transfer.delivered_to ?? {};
  /** @type {[string, unknown][]} */
  const facts = [
    ["console-transfer-where", targetName(transfer.target)],
    ["console-transfer-by", html`<bdi>${transfer.asked_by}</bdi> · <${Time} at=${transfer.created_at} />`],
    ["console-transfer-conversation", rooms.find(transfer.chat_id) ? html`<a href=${to`/chats/${transfer.chat_id}`}>${chat}</a>` : chat],
    ["console-transfer-branch", went.branch && html`<code>${went.branch}</code>`],
    ["console-transfer-until", transfer.is_open && left > 0 && t("console-transfer-left", { left: span(left) })],
  ];
  return html`
    <div class="run-summary" data-state=${colourOf(standing)}>
      <p class="run-status" role="status"><${StateMark} state=${standing} /><code class="quiet">${transfer.short}</code></p>
      <ol class="transfer-steps" aria-label=${t("console-transfer-steps")}>
        ${stepsOf(transfer).map(({ name, at, state }) => html`
          <li key=${name} data-state=${state} aria-current=${state === "now" ? "step" : null}>
            <span class="step-sign">${state === "done" && html`<${Icon} name="check" />`}${state === "off" && html`<${Icon} name="cross" />`}</span>
            <span>${t(`console-transfer-step-${name}`)}${at && html` <${Time} class="quiet" at=${at} />`}</span>
          </li>`)}
      </ol>
      ${transfer.why && html`<p class="task-why" dir="auto">${transfer.why}</p>`}
      <dl class="facts">${facts.filter(([, text]) => text).map(([key, text]) => html`<dt key=${key}>${t(key)}</dt><dd>${text}</dd>`)}</dl>
    </div>`;
}

/** Those that are done, the one where it is, and what comes; one that ended early stops there. @param {Transfer} transfer */
function stepsOf(transfer) {
  const isBack = transfer.state === "resumed";
  /** @type {{ name: string, at: string | null, isDone: boolean }[]} */
  const steps = [
    { name: "asked", at: transfer.created_at, isDone: true },
    { name: "packed", at: transfer.packed_at, isDone: Boolean(transfer.packed_at) },
    { name: "released", at: null, isDone: Boolean(transfer.delivered_at) || standingOf(transfer) === "leaving" },
    { name: "delivered", at: transfer.delivered_at, isDone: Boolean(transfer.delivered_at) },
    { name: "back", at: isBack ? transfer.ended_at : null, isDone: isBack },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return steps.map(({ name, at, isDone }, place) => ({ name, at, state: isDone ? "done" : place === next ? (transfer.is_open ? "now" : "off") : "later" }));
}
