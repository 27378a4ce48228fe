// CLAUDE.md: what the agents of a company always keep in mind, section by section.
import { get } from "../../call.js";
import { Sentence } from "../../components/list.js";
import { Markup } from "../../components/markup.js";
import { Page } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { calmNews, company, CompanyChoice, memoryTabs } from "./tabs.js";

/** @import { NotesSection } from "api" */

export default function Notes() {
  const { data, problem } = useLookup(() => get("/api/memory/notes", { company: company.value }), { key: company.value, news: calmNews });
  return html`
    <${Page} title=${t("console-memory")} tabs=${memoryTabs()}>
      <${CompanyChoice} shown=${data?.company} companies=${data?.companies} />
      <${Sentence} text=${problem || (data ? (data.sections.length ? "" : t("console-memory-notes-none")) : t("console-loading"))} />
      ${data && html`
        <p class="quiet">
          ${t("console-memory-notes-sentence")} <code>${data.path}</code>
          ${data.changed_at && html` · <${Time} at=${data.changed_at} />`}
        </p>
        ${data.sections.map((/** @type {NotesSection} */ section, /** @type {number} */ index) => html`
          <section key=${index} class="notes card" aria-label=${section.title || null}>
            ${section.title && html`<h2 dir="auto">${section.title}</h2>`}
            <div class="markup" dir="auto">${section.text.trim() ? html`<${Markup} source=${section.html} />` : html`<p class="quiet">${t("console-memory-notes-empty")}</p>`}</div>
          </section>`)}`}
    <//>`;
}
