// A new template, begun from one that is there already.
import { get, put } from "../../call.js";
import { isMeant } from "../../components/dialog.js";
import { Field, useAction } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Problem } from "../../components/problem.js";
import { useLookup } from "../../lookup.js";
import { go } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { Editor, useChecked } from "./editor.js";
import { told } from "./tabs.js";

/** @import { PipelineTemplate } from "api" */

export default function New() {
  const { data, problem } = useLookup(() => get("/api/pipelines", {}));
  return html`
    <${Page} title=${t("console-pipeline-new")} back="/pipelines" isBackBefore>
      ${data
        ? html`<${NewForm} examples=${data.templates} />`
        : html`<${Sentence} text=${problem || t("console-loading")} />`}
    <//>`;
}

// What was written and not saved stands there again when the page is opened.
const NOTHING = { name: "", text: "", example: "", copied: "" };
let draft = NOTHING;

/** @param {{ examples: PipelineTemplate[] }} props */
function NewForm({ examples }) {
  const [{ name, text, example, copied }, setState] = useState(draft);
  const write = (/** @type {Partial<typeof NOTHING>} */ changed) => setState((was) => {
    draft = { ...was, ...changed };
    return draft;
  });
  const checked = useChecked(text, name || "new");
  const { problem, setProblem, run } = useAction();
  const chosen = useRef(""); // Whoever chooses another one before the first is here means the other.

  const take = async (/** @type {string} */ wanted) => {
    const isTaken = text === copied || await isMeant({
      title: t("console-pipeline-reload-title"),
      sentence: t("console-pipeline-example-sentence"),
      act: t("console-pipeline-example-take"),
      cancel: t("console-cancel"),
    });
    if (!isTaken) return;
    chosen.current = wanted;
    try {
      const copy = ownCommand((await get("/api/pipelines/templates/{template}", { template: wanted })).text);
      if (chosen.current === wanted) write({ example: wanted, text: copy, copied: copy });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  useEffect(() => { if (!example && examples[0]) take(examples[0].name); }, []);

  const save = () => run(async () => {
    const stored = await put("/api/pipelines/templates/{template}", { template: name.trim() }, { text });
    draft = NOTHING;
    told.value = t(stored.ok ? "console-pipeline-told-saved" : "console-pipeline-told-saved-broken", { name: stored.name });
    go("/pipelines", { replace: true });
  });

  return html`
    <div class="fields">
      <${Field} label=${t("console-pipeline-name")} value=${name} maxlength="64" spellcheck="false" placeholder="product_launch" hint=${t("console-pipeline-name-hint")}
                onInput=${(/** @type {any} */ { target }) => write({ name: target.value })} />
      <${Field} label=${t("console-pipeline-example")} value=${example} choices=${examples.map((each) => ({ value: each.name, text: each.title }))}
                onChange=${async (/** @type {any} */ { target }) => {
                  await take(target.value);
                  target.value = draft.example; // It shows what was taken, also when the person thought better of it.
                }} />
    </div>
    <${Editor} text=${text} onText=${(/** @type {string} */ written) => write({ text: written })} checked=${checked} />
    <${Problem} text=${problem} />
    <div class="buttons editor-buttons"><button type="button" class="button primary" onClick=${save}>${t("console-save")}</button></div>`;
}

/** A command belongs to one template: the copy gets its own, and no phrases. @param {string} text */
const ownCommand = (text) => text.replace(/^(##\s*Trigger\s*:).*?(\/[\w-]+)?.*$/im, (line, head) => {
  const [first] = line.match(/\/[\w-]+/) ?? ["/pipeline"];
  return `${head} /my-${first.slice(1, 29)}`;
});
