// The text of a file, to be changed. Nothing is written by this: it becomes a proposal, whose difference is shown next.
import { get, post } from "../../call.js";
import { Field, Form } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { go, goBack } from "../../router.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { addressOfFile, company } from "./company.js";
import { told } from "./told.js";

/** @import { Proposal } from "api" */

// What was written and not sent stands there again when the form is opened for the same file.
const drafts = new Map();

/** @param {{ area: string, name: string }} props */
export default function Edit({ area, name }) {
  const file = `${area}/${name}`;
  const { data, problem } = useLookup(
    () => get("/api/context/{area}/{name}", { area, name, company: company() }), { key: `${file} ${company()}` });
  return html`
    <${Page} title=${t("console-context-edit-title", { title: data?.title ?? file })} back=${addressOfFile(file)}>
      ${data
        ? html`<${EditForm} key=${file} area=${area} name=${name} waiting=${data.waiting.find(({ after }) => after !== null)} text=${data.text ?? ""} />`
        : html`<${Sentence} text=${problem || t("console-loading")} />`}
    <//>`;
}

/** A change that waits for a decision is what is edited, and the new one takes its place.
 * @param {{ area: string, name: string, text: string, waiting?: Proposal }} props */
function EditForm({ area, name, text: before, waiting }) {
  const file = `${area}/${name}`;
  const [text, setText] = useState(drafts.get(file) ?? waiting?.after ?? before);

  async function send(/** @type {HTMLFormElement} */ form) {
    const summary = String(new FormData(form).get("summary") ?? "").trim();
    await post("/api/context/{area}/{name}", { area, name }, { text, summary, replaces: waiting?.id ?? null, company: company() ?? null });
    drafts.delete(file);
    told.value = t("console-context-proposed");
    go(addressOfFile(file), { replace: true });
  }

  return html`
    <${Form} class="context-form" submit=${t("console-context-propose")} onSubmit=${send} onCancel=${() => goBack(addressOfFile(file))}>
      <${Field} label=${t("console-context-text")} rows="18" spellcheck="true" value=${text}
                onInput=${(/** @type {any} */ { target }) => {
                  setText(target.value);
                  drafts.set(file, target.value);
                }} />
      <${Field} label=${t("console-context-summary")} name="summary" maxlength="300" defaultValue=${waiting?.summary ?? ""} />
    <//>`;
}
