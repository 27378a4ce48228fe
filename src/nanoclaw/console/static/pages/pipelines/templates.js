// The templates of the workspace: what each does, its picture, its commands and what a run will cost; and those with mistakes.
import { get } from "../../call.js";
import { Card } from "../../components/card.js";
import { List, Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useSettled } from "../../components/settled.js";
import { useLookup } from "../../lookup.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useMemo } from "../../vendor/index.js";
import { authors, basis, expected } from "./figures.js";
import { Mistakes } from "./mistakes.js";
import { Picture } from "./picture.js";
import { calmNews, pipelineTabs, takeTold } from "./tabs.js";

/** @import { BrokenPipeline, PipelineTemplate } from "api" */

export default function Templates() {
  const { data, problem } = useLookup(() => get("/api/pipelines", {}), { news: calmNews });
  const settled = useSettled(useMemo(takeTold, []));
  useEffect(() => { if (settled.text) settled.focus(); }, []);
  return html`
    <${Page} title=${t("console-pipelines")} tabs=${pipelineTabs()}
             actions=${html`<a class="button" href="/pipelines/new">${t("console-pipeline-new")}</a>`}>
      <p class="quiet">${t("console-pipelines-about")}</p>
      <${Settled} settled=${settled} />
      ${data && data.broken.length > 0 && html`
        <section aria-labelledby="broken-title">
          <h2 id="broken-title">${t("console-pipelines-broken")}</h2>
          <${List} items=${data.broken} keyOf=${(/** @type {BrokenPipeline} */ { name }) => name}
                   draw=${(/** @type {BrokenPipeline} */ broken) => html`<${BrokenCard} broken=${broken} />`} />
        </section>`}
      ${data
        ? html`<${List} items=${data.templates} keyOf=${(/** @type {PipelineTemplate} */ { name }) => name} none=${t("console-pipelines-none")}
                        draw=${(/** @type {PipelineTemplate} */ template) => html`<${TemplateCard} template=${template} />`} />`
        : html`<${Sentence} text=${problem || t("console-loading")} />`}
    <//>`;
}

/** @param {{ template: PipelineTemplate }} props */
function TemplateCard({ template }) {
  const { name, title, description, commands, phrases, estimate } = template;
  const actions = html`
    <a class="button primary" href=${to`/pipelines/templates/${name}/start`}>${t("console-pipeline-start")}</a>
    <a class="button" href=${to`/pipelines/templates/${name}/edit`}>${t("console-pipeline-edit")}</a>
    <a class="button" href=${`/pipelines/runs?template=${encodeURIComponent(name)}`}>${t("console-pipelines-runs")}</a>`;
  return html`
    <${Card} label=${title} class="template" actions=${actions}>
      <div class="template-head">
        <h2 dir="auto">${title}</h2>
        <p class="template-said">
          ${commands.map((command) => html`<code key=${command}>${command}</code> `)}
          ${phrases.map((phrase) => html`<span key=${phrase} class="quiet" dir="auto">“${phrase}” </span>`)}
        </p>
      </div>
      ${description && html`<p dir="auto">${description}</p>`}
      <p>${expected(estimate)} <span class="quiet">${[basis(estimate), authors(estimate)].filter(Boolean).join(" ")}</span></p>
      <details class="template-picture" open=${template.steps.length <= FEW}>
        <summary>${t("console-pipeline-steps", { count: template.steps.length })}</summary>
        <${Picture} steps=${template.steps} rows=${template.rows} />
      </details>
    <//>`;
}

const FEW = 9; // So many steps are seen at a glance.

/** @param {{ broken: BrokenPipeline }} props */
const BrokenCard = ({ broken: { name, path, mistakes } }) => html`
  <${Card} label=${name} class="broken" actions=${html`<a class="button" href=${to`/pipelines/templates/${name}/edit`}>${t("console-pipeline-mend")}</a>`}>
    <p><b>${name}</b> <code class="quiet">${path}</code></p>
    <${Mistakes} mistakes=${mistakes} />
  <//>`;
