// A card: one thing of a list, with what can be done with it, and what went wrong when it was tried.
import { html } from "../vendor/index.js";
import { Problem } from "./problem.js";

/**
 * Cards are in a <List>. `label` names the card for screen readers; `isBusy` while a change of it is under way.
 * @param {{ label: string, class?: string, isBusy?: boolean, problem?: string, actions?: unknown, children?: unknown } & Record<string, unknown>} props
 */
export const Card = ({ label, class: name = "", isBusy = false, problem = "", actions, children, ...rest }) => html`
  <div class=${`card ${name}`} role="group" aria-label=${label} aria-busy=${isBusy ? "true" : null} ...${rest}>
    ${children}
    ${actions && html`<p class="card-actions">${actions}</p>`}
    <${Problem} text=${problem} />
  </div>`;
