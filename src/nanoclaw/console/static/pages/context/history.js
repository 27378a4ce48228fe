// Who changed a file when, how two versions differ, and the way back to one.
import { get, post } from "../../call.js";
import { Field, useAction } from "../../components/form.js";
import { Sentence, Table } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Problem } from "../../components/problem.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { go } from "../../router.js";
import { moment, t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { addressOfFile, company } from "./company.js";
import { Diff } from "./diff.js";
import { told } from "./told.js";

/** @import { Version } from "api" */

/** @param {{ area: string, name: string }} props */
export default function History({ area, name }) {
  const file = `${area}/${name}`;
  const { data, problem } = useLookup(
    () => get("/api/context/{area}/{name}/versions", { area, name, company: company() }), { key: `${file} ${company()}` });
  const versions = data?.versions ?? null;
  return html`
    <${Page} title=${t("console-context-history-title", { file })} back=${addressOfFile(file)}>
      <${Table} items=${versions} columns=${columns()} keyOf=${(/** @type {Version} */ { id }) => id} problem=${problem}
                none=${t("console-context-no-history")} label=${t("console-context-history")} />
      ${versions && versions.length > 0 && html`<${Compare} area=${area} name=${name} versions=${versions} />`}
    <//>`;
}

/** @type {() => import("../../components/list.js").Column<Version>[]} */
const columns = () => [
  { title: t("console-context-when"), draw: ({ at }) => html`<${Time} at=${at} />` },
  { title: t("console-context-what"), class: "said", draw: ({ subject }) => subject },
  { title: t("console-context-who"), draw: ({ author }) => html`<bdi>${author}</bdi>` },
];

/** @param {{ area: string, name: string, versions: Version[] }} props */
function Compare({ area, name, versions }) {
  const file = `${area}/${name}`;
  const [version, setVersion] = useState(versions[1]?.id ?? versions[0].id);
  const [against, setAgainst] = useState("");
  const action = useAction();
  const { data, problem } = useLookup(
    () => get("/api/context/{area}/{name}/versions/{version}", { area, name, version, against: against || undefined, company: company() }),
    { key: `${file} ${version} ${against}` });
  const choices = versions.map(({ id, at, subject }) => ({ value: id, text: `${moment(at)} · ${subject}` }));

  const restore = () => action.run(async () => {
    await post("/api/context/{area}/{name}/restore", { area, name }, { version, company: company() ?? null });
    told.value = t("console-context-proposed");
    go(addressOfFile(file));
  });

  return html`
    <section aria-labelledby="compare-title">
      <h2 id="compare-title">${t("console-context-compare")}</h2>
      <div class="fields">
        <${Field} label=${t("console-context-version")} value=${version} choices=${choices}
                  onChange=${(/** @type {any} */ { target }) => setVersion(target.value)} />
        <${Field} label=${t("console-context-against")} value=${against} choices=${[{ value: "", text: t("console-context-now") }, ...choices]}
                  onChange=${(/** @type {any} */ { target }) => setAgainst(target.value)} />
      </div>
      ${data?.diff ? html`<${Diff} text=${data.diff} />` : html`<${Sentence} text=${problem || t(data ? "console-context-same" : "console-loading")} />`}
      <p class="card-actions"><button type="button" class="button" onClick=${restore}>${t("console-context-restore")}</button></p>
      <${Problem} text=${action.problem} />
    </section>`;
}
