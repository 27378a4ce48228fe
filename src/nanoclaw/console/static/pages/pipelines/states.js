// How runs and their steps stand, in words and signs; nobody has to tell colours apart.
import { Icon } from "../../components/icon.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @type {Record<string, string>} */
const ICONS = {
  waiting: "clock", unpaid: "clock", running: "gear", asked: "people", done: "check", skipped: "past", failed: "cross", cancelled: "stop",
};

/** @param {{ status: string, unpaid: boolean }} run */
export const standingOf = ({ status, unpaid }) => unpaid ? "unpaid" : status;

/** @param {{ state: string }} props */
export const StateIcon = ({ state }) => html`<${Icon} name=${ICONS[state]} />`;

/** @param {{ state: string }} props */
export const StateMark = ({ state }) => html`
  <span class="mark pipe-state" data-state=${state}><${StateIcon} state=${state} />${t(`console-step-${state}`)}</span>`;

/** `HITL` says little to people. @param {{ role: string, type: string }} step */
export const roleOf = ({ role, type }) => type === "approval" && role.toLowerCase() === "hitl" ? t("console-step-approval") : role;

/** Whether its time is running. @param {{ state?: string }} step */
export const isOpen = ({ state }) => state === "running" || state === "asked";
