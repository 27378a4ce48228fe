// A diff line by line. Signs repeat what colours show, for people who cannot tell them apart.
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @type {Record<string, string>} */
const KINDS = { "+": "added", "-": "removed", "@": "place" };

/** @param {{ text: string }} props */
export const Diff = ({ text }) => html`
  <pre class="diff" tabindex="0" role="region" aria-label=${t("console-context-diff")}>${text.split("\n").map((line, index) => html`
    <span key=${index} class=${KINDS[line[0]] ?? ""}>${line || " "}</span>`)}</pre>`;
