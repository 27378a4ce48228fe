// A chain as a picture: from the first message, a row for each handoff; those that work at once stand side by side.
import { Icon } from "../../components/icon.js";
import { to } from "../../router.js";
import { dollars, t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @import { Handoff } from "api" */

/** @type {Record<string, string>} */
const ICONS = {
  asked: "people", waiting: "clock", running: "gear", done: "check", failed: "cross", refused: "cross", expired: "past", cancelled: "stop",
};

/** @param {{ state: string }} props */
export const StateMark = ({ state }) => html`
  <span class="mark pipe-state" data-state=${state}><${Icon} name=${ICONS[state]} />${t(`console-handoff-${state}`)}</span>`;

/** @param {Handoff[]} handoffs @returns {Handoff[][]} */
function rowsOf(handoffs) {
  /** @type {Map<string, Handoff[]>} */
  const rows = new Map();
  for (const each of handoffs) rows.set(each.joins ?? each.id, [...rows.get(each.joins ?? each.id) ?? [], each]);
  return [...rows.values()];
}

/**
 * `message` is what a person wrote at the beginning; `chosen` is the handoff that is shown.
 * @param {{ handoffs: Handoff[], message: string | null, chosen?: string }} props
 */
export function Chain({ handoffs, message, chosen = "" }) {
  return html`
    <ol class="picture" aria-label=${t("console-handoff-chain")}>
      <li key="first" class="picture-row">
        <div class="node"><span class="node-head"><${Icon} name="web" /><bdi class="node-role">${handoffs[0].from_skill}</bdi></span>
          <span class="node-about quiet" dir="auto">${message ?? ""}</span></div>
      </li>
      ${rowsOf(handoffs).map((row) => html`
        <li key=${row[0].id} class="picture-row" data-many=${row.length > 1 ? "yes" : null}>
          ${row.map((each) => html`<${Node} key=${each.id} handoff=${each} isChosen=${each.id === chosen} />`)}
        </li>`)}
    </ol>`;
}

/** @param {{ handoff: Handoff, isChosen: boolean }} props */
function Node({ handoff, isChosen }) {
  const { id, step, state, to_skill: receiver, from_skill: sender, type, way, cost_usd: cost } = handoff;
  const about = [
    t("console-handoff-from", { skill: sender }), t(`console-handoff-way-${way}`), way === "inside" ? "" : t(`console-handoff-type-${type}`),
    cost ? dollars(cost) : "",
  ];
  return html`
    <a class="node" data-state=${state} href=${to`/handoffs/${id}`} aria-current=${isChosen ? "step" : null}>
      <span class="node-head">
        <span class="node-number">${step}</span><bdi class="node-role">${receiver}</bdi>
        <${Icon} name=${ICONS[state]} /><span class="unseen">${t(`console-handoff-${state}`)}</span>
      </span>
      <span class="node-about quiet">${about.filter(Boolean).join(" · ")}</span>
    </a>`;
}
