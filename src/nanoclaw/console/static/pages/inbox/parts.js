// What a question comes with: something long to read, and the document that is to be reviewed.
import { addressOf } from "../../call.js";
import { Icon } from "../../components/icon.js";
import { html } from "../../vendor/index.js";

/** @import { Question } from "api" */

/** @param {{ label: string, text: string | null, class?: string, isOpen?: boolean }} props */
export function Folded({ label, text, class: name = "", isOpen = false }) {
  if (!text) return null;
  const pre = html`<pre dir=${isOpen ? null : "auto"} tabindex="0" role="region" aria-label=${label}>${text}</pre>`;
  if (isOpen) return html`<div class=${name}><p class="quiet">${label}</p>${pre}</div>`;
  return html`<details class=${name}><summary>${label}</summary>${pre}</details>`;
}

/** @param {{ question: Question }} props */
export const Document = ({ question: { id, document } }) => document && html`
  <a class="document" target="_blank" rel="noopener" title=${document} href=${addressOf("/api/questions/{question}/document", { question: id })}>
    <${Icon} name="file" /> <bdi>${document}</bdi>
  </a>`;
