// The picture of a pipeline: a row for each stage, steps that run at once side by side, and lines where the ways part and meet.
import { go } from "../../router.js";
import { amount, t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { roleOf, StateIcon } from "./states.js";

/** @import { PipelineStep, PlannedStep } from "api" */
/** @typedef {PlannedStep & Partial<PipelineStep>} Drawn */

/**
 * `about` says what stands below the name of a step; with `hrefOf` steps are links, and `chosen` is the one that is shown.
 * @param {{ steps: Drawn[], rows: number[][], about?: (step: any) => unknown, hrefOf?: (number: number) => string,
 *   chosen?: number | null, class?: string, label?: string }} props
 */
export function Picture({ steps, rows, about = planOf, hrefOf, chosen, class: name = "", label }) {
  const known = new Map(steps.map((step) => [step.number, step]));
  return html`
    <ol class=${`picture ${name}`} aria-label=${label ?? t("console-pipeline-picture")}>
      ${rows.map((row) => html`
        <li key=${row[0]} class="picture-row" data-many=${row.length > 1 ? "yes" : null}>
          ${row.map((number) => {
            const step = known.get(number);
            return step && html`<${Node} key=${number} step=${step} about=${about(step)} href=${hrefOf?.(number)} isChosen=${number === chosen} />`;
          })}
        </li>`)}
    </ol>`;
}

/** @param {{ step: Drawn, about: unknown, href?: string, isChosen: boolean }} props */
function Node({ step, about, href, isChosen }) {
  const { number, type, state } = step;
  const body = html`
    <span class="node-head">
      <span class="node-number">${number}</span>
      <bdi class="node-role">${roleOf(step)}</bdi>
      ${state && html`<${StateIcon} state=${state} /><span class="unseen">${t(`console-step-${state}`)}</span>`}
    </span>
    <span class="node-about quiet">${about}</span>`;
  return href
    ? html`<a class="node" data-type=${type} data-state=${state} href=${href} aria-current=${isChosen ? "step" : null} onClick=${inPlace}>${body}</a>`
    : html`<div class="node" data-type=${type} data-state=${state}>${body}</div>`;
}

/** Looking from step to step is no way that one would want to go back step by step. @param {MouseEvent} event */
function inPlace(event) {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const link = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  go(link.pathname + link.search, { replace: true });
}

/** What the template says of a step, in short. @param {PlannedStep} step */
export function planOf({ type, gates, model, outputs, conditions, timeout }) {
  const parts = [
    t(`console-step-type-${type}`), gates.join(", "), model, outputs.join(" + "),
    conditions.length ? t("console-step-when", { condition: conditions.join(", ") }) : "",
    type === "approval" ? t("console-step-waits", { time: spanOf(timeout) }) : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

/** @type {[string, number][]} */
const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** In the unit of the template: 15 min, 2 h, 7 days. @param {number} seconds */
function spanOf(seconds) {
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? UNITS[UNITS.length - 1];
  return amount(unit, seconds / size);
}
