// What is wrong with a template, line by line.
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @import { TemplateMistake } from "api" */

/** With `onLine` each leads to its line. @param {{ mistakes: TemplateMistake[], onLine?: (line: number) => void }} props */
export const Mistakes = ({ mistakes, onLine }) => html`
  <ul class="mistakes">
    ${mistakes.map((mistake, index) => html`
      <li key=${index}>
        ${onLine
          ? html`<button type="button" class="link" onClick=${() => onLine(mistake.line)}>${t("console-pipeline-line", { line: mistake.line })}</button>`
          : html`<span class="mistake-line">${t("console-pipeline-line", { line: mistake.line })}</span>`}
        <span dir="auto">${mistake.sentence}</span>
      </li>`)}
  </ul>`;
