// How transfers and analyses stand, in words and signs.
import { Icon } from "../../components/icon.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @import { Analysis, TransferLine } from "api" */

/** @type {Record<string, string>} */
const ICONS = {
  packing: "gear", asks: "people", leaving: "gear", delivered: "clock", resumed: "check", expired: "clock", cancelled: "stop",
  received: "gear", asking: "people", understood: "gear", imported: "check", refused: "cross", undone: "again",
};

/** Colours are those of runs. @type {Record<string, string>} */
const LIKE = { packing: "running", leaving: "running", received: "running", understood: "running", asks: "asked", asking: "asked", delivered: "asked", resumed: "done", imported: "done", refused: "failed" };

/** @param {string} state */
export const colourOf = (state) => LIKE[state] ?? state;

/** What it waits for says more than that it was made. @param {TransferLine} transfer */
export function standingOf({ state, asks, packed_at: packed }) {
  if (state !== "created") return state;
  return asks ? "asks" : packed ? "leaving" : "packing";
}

/** @param {{ state: string, kind?: "transfer" | "analysis" }} props */
export const StateMark = ({ state, kind = "transfer" }) => html`
  <span class="mark pipe-state" data-state=${colourOf(state)}><${Icon} name=${ICONS[state]} />${t(`console-${kind}-state-${state}`)}</span>`;

export const calmNews = news.calmed(news.transfers);

export const TARGETS = ["claude-ai", "claude-code", "git", "manual"];

/** @param {string} target */
export const targetName = (target) => t(`console-transfer-to-${target}`);

/** @param {TransferLine} transfer */
export const titleOf = ({ purpose, target }) => purpose || targetName(target);

/** Among others. @param {TransferLine} transfer */
export const choiceOf = (transfer) => ({ value: transfer.id, text: [transfer.purpose, targetName(transfer.target), transfer.short].filter(Boolean).join(" · ") });

/** Whether the host still works on it. @param {Analysis} analysis */
export const isUnderWay = ({ state, question_id: question }) => ["received", "understood"].includes(state) && !question;
