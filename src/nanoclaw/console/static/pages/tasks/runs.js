// Runs, one under the other; each opens to its result, its time and its cost.
import { Time } from "../../components/time.js";
import { dayAndTime, zoned } from "../../moments.js";
import { to } from "../../router.js";
import { clock, dollars, duration, t } from "../../texts.js";
import { html, useEffect, useRef } from "../../vendor/index.js";
import { StateIcon, stateName } from "./states.js";

/** @typedef {import("./states.js").Entry} Entry */

/**
 * `isNamed`: each says of which task it is. The one with the id `open` is unfolded, and so is a single one.
 * @param {{ runs: Entry[], isNamed?: boolean, open?: string }} props
 */
export const Runs = ({ runs, isNamed = false, open }) => html`
  <ol class="runs">
    ${runs.map((run) => html`<li key=${run.id}><${RunItem} run=${run} isNamed=${isNamed} isOpen=${run.id === open} /></li>`)}
  </ol>`;

/** @param {{ run: Entry, isNamed: boolean, isOpen: boolean }} props */
function RunItem({ run, isNamed, isOpen }) {
  const { status, run_at: at, error, result, message_id: message, task_id: task } = run;
  const details = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  useEffect(() => {
    if (!isOpen || !details.current) return;
    details.current.open = true;
    details.current.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return html`
    <details class="run" data-status=${status} ref=${details}>
      <summary>
        <${StateIcon} status=${status} />
        <span class="run-what">${isNamed && html`<bdi>${run.title}</bdi> `}<${Time} at=${at} text=${isNamed ? clock(at) : dayAndTime(at)} /></span>
        <span class="mark run-state">${stateName(status)}</span>
      </summary>
      ${error && html`<p class="run-error">${error}</p>`}
      ${result && html`<pre class="run-result" dir="auto" tabindex="0" role="region" aria-label=${t("console-run-result")}>${result}</pre>`}
      <dl class="facts">
        ${factsOf(run).map(([key, text]) => html`<dt key=${key}>${t(key)}</dt><dd>${text}</dd>`)}
      </dl>
      <p class="run-links">
        ${status !== "coming" && html`<a href=${to`/tasks/${task}/runs/${run.id}`}>${t("console-run-link")}</a>`}
        ${isNamed && html` <a href=${to`/tasks/${task}`}>${t("console-task-page", { id: task })}</a>`}
        ${message && html` <a href=${to`/why/${message}`}>${t("console-why")}</a>`}
      </p>
    </details>`;
}

/** @param {Entry} run @returns {[string, string][]} */
function factsOf({ run_at: due, started_at: started, duration_ms: took, cost_usd: cost, attempts = 0, reason, status }) {
  const tries = status === "retrying" ? attempts : attempts + 1; // The retry that it waits for is not one yet.
  /** @type {[string, string][]} */
  const facts = [
    ["console-run-due", zoned(due)],
    ["console-run-began", started ? zoned(started) : ""],
    ["console-run-took", took === null || took === undefined ? "" : duration(took)],
    ["console-run-cost", status === "coming" || !started ? "" : dollars(cost ?? 0)],
    ["console-run-attempts", tries > 1 ? String(tries) : ""],
    ["console-run-reason", reason && reason !== "schedule" ? t(`console-reason-${reason}`) : ""],
  ];
  return facts.filter(([, text]) => text);
}
