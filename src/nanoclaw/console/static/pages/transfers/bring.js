// Where an analysis is brought back: chosen or dropped here, it is read, and the page of its transfer shows what was found.
import { get, upload } from "../../call.js";
import { Field, useAction } from "../../components/form.js";
import { Problem } from "../../components/problem.js";
import { useLookup } from "../../lookup.js";
import { go, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { calmNews, choiceOf, isUnderWay, StateMark } from "./states.js";

/** @import { TransferLine } from "api" */

const KINDS = ".md,.markdown,.txt,.pdf,.docx,.html,.htm,.zip";
const MEGABYTE = 1 << 20;
const MOST = 25;

/** To this transfer, or to one of the `choices`; the host finds out which, if nobody says. @param {{ transfer?: string, choices?: TransferLine[] }} props */
export function BringPlace({ transfer, choices = [] }) {
  const [isOver, setOver] = useState(false);
  const [brought, setBrought] = useState("");
  const chosen = useRef("");
  const { isBusy, problem, setProblem, run } = useAction();

  const take = (/** @type {FileList | null | undefined} */ files) => run(async () => {
    const file = files?.[0];
    if (!file) return;
    // The host would hang up in the middle of it, and nobody would learn why.
    if (file.size > MOST * MEGABYTE) throw new Error(t("console-context-document-big", { name: file.name, megabytes: MOST }));
    const wanted = transfer ?? (choices.some(({ id }) => id === chosen.current) ? chosen.current : undefined);
    setBrought((await upload("/api/transfers/import", { name: file.name, transfer: wanted }, file)).id);
  });

  function drop(/** @type {DragEvent} */ event) {
    event.preventDefault();
    setOver(false);
    const files = event.dataTransfer?.files;
    if (files?.length === 1) take(files);
    else setProblem(t("console-context-document-one"));
  }

  return html`
    <section class=${`document-place ${isOver ? "over" : ""}`} aria-labelledby="bring-title" aria-busy=${isBusy ? "true" : null}
             onDragOver=${(/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(true); }}
             onDragLeave=${() => setOver(false)} onDrop=${drop}>
      <div>
        <h2 id="bring-title">${t("console-transfer-bring")}</h2>
        <p class="quiet">${t("console-transfer-bring-about", { megabytes: MOST })}</p>
        ${choices.length > 1 && html`
          <${Field} label=${t("console-transfer-of")} class="bring-choice"
                    choices=${[{ value: "", text: t("console-transfer-of-unknown") }, ...choices.map(choiceOf)]}
                    onChange=${(/** @type {any} */ event) => { chosen.current = event.target.value; }} />`}
      </div>
      <label class="button">${t("console-context-document-choose")}
        <input type="file" class="unseen" accept=${KINDS} disabled=${isBusy}
               onChange=${(/** @type {any} */ { target }) => take(target.files).then(() => { target.value = ""; })} />
      </label>
      <div class="document-news" role="status">${brought && html`<${Brought} key=${brought} id=${brought} stays=${transfer} />`}</div>
      <${Problem} text=${problem} />
    </section>`;
}

/** How far it is; what was found is shown with its transfer. @param {{ id: string, stays?: string }} props */
function Brought({ id, stays }) {
  const { data, problem } = useLookup(() => get("/api/analyses/{analysis}", { analysis: id }), { key: id, news: calmNews });
  const transfer = data?.state === "imported" && data.transfer_id;
  useEffect(() => { if (transfer && transfer !== stays) go(to`/transfers/${transfer}`); }, [transfer]);
  if (!data) return problem;
  return html`
    <p><b dir="auto">${data.file_name}</b> <${StateMark} kind="analysis" state=${data.state} />${isUnderWay(data) && html` <span class="quiet">${t("console-analysis-reading")}</span>`}</p>
    ${data.why && html`<p class="task-why" dir="auto">${data.why}</p>`}`;
}
