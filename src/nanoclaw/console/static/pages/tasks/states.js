// How runs went, in words and signs; nobody has to tell colours apart.
import { Icon } from "../../components/icon.js";
import { dayAndTime } from "../../moments.js";
import { dollars, duration, t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @import { Run } from "api" */
/** @typedef {{ id: string, task_id: number, title: string, run_at: string, status: string, times: number } & Partial<Run>} Entry A run, or one that will be. */

/** @type {Record<string, string>} */
const ICONS = {
  coming: "clock", queued: "clock", running: "gear", waiting: "people", unpaid: "clock", retrying: "again", success: "check",
  failed: "cross", skipped: "past", missed: "gap", cancelled: "stop",
};

export const STATES = ["success", "failed", "skipped", "missed", "cancelled", "running", "coming"];

/** @param {{ status: string }} props */
export const StateIcon = ({ status }) => html`<${Icon} name=${ICONS[status]} />`;

/** @param {string} status */
export const stateName = (status) => t(`console-run-${status}`);

/** "done, 08:00, 2.4 s, $0.0123" @param {Run} run */
export function summaryOf({ status, started_at: started, run_at: due, duration_ms: took, cost_usd: cost }) {
  const spent = [took === null ? "" : duration(took), cost ? dollars(cost) : ""].filter(Boolean);
  return [stateName(status), dayAndTime(started ?? due), ...spent].join(", ");
}
