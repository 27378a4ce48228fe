// A place for a document from which an agent proposes changes: chosen with a button, or dropped here.
import { get, upload } from "../../call.js";
import { useAction } from "../../components/form.js";
import { Markup } from "../../components/markup.js";
import { Problem } from "../../components/problem.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { addressOfFile, company } from "./company.js";

/** @import { DocumentReading } from "api" */

const KINDS = ".pdf,.docx,.md,.markdown,.txt,.csv,.html,.htm";
const MEGABYTE = 1 << 20;
const MOST = 25;
const PAUSE = 500;

export function DocumentPlace() {
  const [name, setName] = useState("");
  const [reading, setReading] = useState(/** @type {DocumentReading | null} */ (null));
  const [isOver, setOver] = useState(false);
  const isHere = useRef(true);
  const { isBusy, problem, setProblem, run } = useAction();
  useEffect(() => () => { isHere.current = false; }, []);

  const take = (/** @type {FileList | null | undefined} */ files) => run(async () => {
    const file = files?.[0];
    if (!file) return;
    setReading(null);
    setName(file.name);
    // The host would hang up in the middle of it, and nobody would learn why.
    if (file.size > MOST * MEGABYTE) throw new Error(t("console-context-document-big", { name: file.name, megabytes: MOST }));
    let found = await upload("/api/context-documents", { name: file.name, company: company() }, file);
    while (!found.is_over && isHere.current) {
      setReading(found);
      await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
      found = await get("/api/context-documents/{message}", { message: found.id });
    }
    setReading(found);
  });

  function drop(/** @type {DragEvent} */ event) {
    event.preventDefault();
    setOver(false);
    const files = event.dataTransfer?.files;
    if (files?.length === 1) take(files);
    else setProblem(t("console-context-document-one"));
  }

  return html`
    <section class=${`document-place ${isOver ? "over" : ""}`} aria-labelledby="document-title" aria-busy=${isBusy ? "true" : null}
             onDragOver=${(/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(true); }}
             onDragLeave=${() => setOver(false)} onDrop=${drop}>
      <div>
        <h2 id="document-title">${t("console-context-document")}</h2>
        <p class="quiet">${t("console-context-document-about", { megabytes: MOST })}</p>
      </div>
      <label class="button">${t("console-context-document-choose")}
        <input type="file" class="unseen" accept=${KINDS} disabled=${isBusy}
               onChange=${(/** @type {any} */ { target }) => take(target.files).then(() => { target.value = ""; })} />
      </label>
      <div class="document-news" role="status">
        ${isBusy && html`<p>${t("console-context-document-reading", { name })}</p>`}
        ${reading?.is_over && html`<${Outcome} name=${name} reading=${reading} />`}
      </div>
      <${Problem} text=${problem} />
    </section>`;
}

/** @param {{ name: string, reading: DocumentReading }} props */
const Outcome = ({ name, reading }) => html`
  <p><b dir="auto">${name}</b></p>
  <${Markup} source=${reading.html} text=${reading.said} />
  <ul class="document-proposals">
    ${reading.proposals.map(({ id, file, summary }) => html`
      <li key=${id}><a href=${addressOfFile(file)}>${file}</a>: <span dir="auto">${summary}</span></li>`)}
  </ul>
  <p><a href=${to`/chats/${reading.room}`}>${t("console-context-document-chat")}</a></p>`;
