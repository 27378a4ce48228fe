// How batches and their texts stand, in words and signs, and what was done on the page before.
import { Icon } from "../../components/icon.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { html, signal } from "../../vendor/index.js";

/** @import { BatchText } from "api" */

/** @type {Record<string, string>} */
const ICONS = {
  asked: "people", preparing: "gear", waiting: "clock", unpaid: "clock", running: "gear", checking: "gear", ready: "people", done: "check", failed: "cross", cancelled: "stop",
  sent: "gear", succeeded: "pencil", errored: "cross", expired: "clock", canceled: "stop", approved: "check", rejected: "cross",
};

/** Colours are those of runs. @type {Record<string, string>} */
const LIKE = { unpaid: "asked", preparing: "running", checking: "running", ready: "asked", approved: "done", errored: "failed", expired: "failed", rejected: "failed" };

/** @param {string} state */
export const colourOf = (state) => LIKE[state] ?? state;

/** What it waits for says more than that it does. @param {{ status: string, unpaid: boolean }} batch */
export const standingOf = ({ status, unpaid }) => unpaid ? "unpaid" : status;

/** @param {{ state: string, kind?: "batch" | "text" }} props */
export const StateMark = ({ state, kind = "batch" }) => html`
  <span class="mark pipe-state" data-state=${colourOf(state)}><${Icon} name=${ICONS[state]} />${t(`console-${kind}-${state}`)}</span>`;

/** What a person decided says more than that it is written. @param {BatchText} text */
export const stateOf = ({ state, verdict }) => state === "succeeded" && verdict !== "open" ? verdict : state;

/** Nothing more comes without a person. @param {string} status */
export const isAtRest = (status) => ["ready", "done", "failed", "cancelled"].includes(status);

export const calmNews = news.calmed(news.batches);

export const told = signal("");

export function takeTold() {
  const text = told.peek();
  told.value = "";
  return text;
}

export const CHOICES = ["all", "open", "passed", "faulty", "approved", "rejected", "failed", "scheduled"];

export const choices = () => CHOICES.map((value) => ({ value, text: t(`console-batch-only-${value}`) }));
