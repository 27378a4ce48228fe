// The files of a company's context, area by area: what each is for, how old it is, and which wait for someone.
import { get } from "../../call.js";
import { Field } from "../../components/form.js";
import { List, Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { questions } from "../../news.js";
import { go } from "../../router.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { addressOfFile, company } from "./company.js";
import { DocumentPlace } from "./document.js";
import { SyncPlace } from "./sync.js";

/** @import { ContextFile } from "api" */

const AREAS = ["company", "product", "audience", "brand", "market"];

export default function Files() {
  const { data, problem, look } = useLookup(() => get("/api/context", { company: company() }), { key: company(), news: questions });
  return html`
    <${Page} title=${t("console-context")}>
      <p class="quiet">${t("console-context-about")}</p>
      ${data && data.companies.length > 1 && html`
        <${Field} class="company" label=${t("console-context-company")} value=${data.company} choices=${data.companies.map((value) => ({ value, text: value }))}
                  onChange=${(/** @type {any} */ { target }) => go(`/context?company=${encodeURIComponent(target.value)}`)} />`}
      <${DocumentPlace} key=${company() ?? ""} />
      <${SyncPlace} onChange=${look} />
      ${!data && html`<${Sentence} text=${problem || t("console-loading")} />`}
      ${data && AREAS.map((area) => html`
        <section key=${area} aria-labelledby=${`area-${area}`}>
          <h2 id=${`area-${area}`}>${t(`console-context-area-${area}`)}</h2>
          <${List} items=${data.files.filter((file) => file.area === area)} keyOf=${(/** @type {ContextFile} */ { file }) => file}
                   draw=${(/** @type {ContextFile} */ file) => html`<${FileCard} file=${file} />`} />
        </section>`)}
    <//>`;
}

/** @param {{ file: ContextFile }} props */
const FileCard = ({ file }) => html`
  <a class="card context-file" href=${addressOfFile(file.file)}>
    <span class="context-title">${file.title} ${file.stale && html`<span class="mark stale">${t("console-context-stale")}</span>`}
      ${file.proposals > 0 && html`<span class="mark waits">${t("console-context-waits", { count: file.proposals })}</span>`}</span>
    <span>${file.purpose}</span>
    <span class="quiet">${file.age}</span>
  </a>`;
