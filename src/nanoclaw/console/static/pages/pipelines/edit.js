// A template's file, to be changed: its picture and its mistakes appear while one writes.
import { get, put } from "../../call.js";
import { isMeant } from "../../components/dialog.js";
import { useAction } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Problem } from "../../components/problem.js";
import { useLookup } from "../../lookup.js";
import { go } from "../../router.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { Editor, useChecked } from "./editor.js";
import { told } from "./tabs.js";

/** @import { TemplateText } from "api" */

// What was written and not saved stands there again, with the version of the file that it began from.
/** @type {Map<string, { text: string, version: string }>} */
const drafts = new Map();

/** @param {{ template: string }} props */
export default function Edit({ template: name }) {
  const { data, problem, look } = useLookup(() => get("/api/pipelines/templates/{template}", { template: name }), { key: name });
  return html`
    <${Page} title=${t("console-pipeline-edit-title", { name: data?.title || name })} back="/pipelines" isBackBefore>
      ${data
        ? html`<${EditForm} key=${data.version} stored=${data} onReload=${look} />`
        : html`<${Sentence} text=${problem || t("console-loading")} />`}
    <//>`;
}

/** @param {{ stored: TemplateText, onReload: () => Promise<void> }} props */
function EditForm({ stored, onReload }) {
  const draft = drafts.get(stored.name);
  const [text, setText] = useState(draft?.text ?? stored.text);
  const [version] = useState(draft?.version ?? stored.version);
  const checked = useChecked(text, stored.name, stored);
  const [isOutdated, setOutdated] = useState(false);
  const { isBusy, problem, run } = useAction();

  const write = (/** @type {string} */ written) => {
    setText(written);
    if (written === stored.text && version === stored.version) drafts.delete(stored.name);
    else drafts.set(stored.name, { text: written, version });
  };
  const save = async () => {
    if (!checked.isFresh) await checked.look();
    const count = checked.latest()?.mistakes.length ?? 0;
    const isWanted = count === 0 || await isMeant({
      title: t("console-pipeline-save-broken-title"),
      sentence: t("console-pipeline-save-broken", { count }),
      act: t("console-pipeline-save-anyway"),
      cancel: t("console-cancel"),
    });
    if (!isWanted) return;
    await run(async () => {
      try {
        await put("/api/pipelines/templates/{template}", { template: stored.name }, { text, version });
      } catch (error) {
        setOutdated(/** @type {any} */ (error).code === "template-changed");
        throw error;
      }
      drafts.delete(stored.name);
      told.value = t(count ? "console-pipeline-told-saved-broken" : "console-pipeline-told-saved", { name: stored.name });
      go("/pipelines", { replace: true });
    });
  };
  const takeTheirs = async () => {
    const isMeantSo = await isMeant({
      title: t("console-pipeline-reload-title"),
      sentence: t("console-pipeline-reload-sentence"),
      act: t("console-pipeline-reload"),
      cancel: t("console-cancel"),
    });
    if (!isMeantSo) return;
    drafts.delete(stored.name);
    await onReload();
  };

  return html`
    <p class="quiet"><code>${stored.path}</code></p>
    <${Editor} text=${text} onText=${write} checked=${checked} />
    <${Problem} text=${problem} />
    <div class="buttons editor-buttons" aria-busy=${isBusy ? "true" : null}>
      ${isOutdated && html`<button type="button" class="button" onClick=${takeTheirs}>${t("console-pipeline-reload")}</button>`}
      <button type="button" class="button primary" onClick=${save}>${t("console-save")}</button>
    </div>`;
}
