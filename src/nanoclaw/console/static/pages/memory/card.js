// An entry of memory: its words, whose they are and since when, and what can be done with it.
import { post } from "../../call.js";
import { Card } from "../../components/card.js";
import { Field, Form, useAction } from "../../components/form.js";
import { useKeptFocus } from "../../components/settled.js";
import { Time } from "../../components/time.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";

/** @import { MemoryEntry, MemoryResult } from "api" */

/** What can have the focus in a card of an entry. */
export const CONTROL = ".card-actions button";

/**
 * `onChange` gets what became of it, and a sentence that says so. `isWhole`: it stands alone on its own page.
 * @param {{ entry: MemoryEntry, onChange: (result: MemoryResult, said: string) => void, isWhole?: boolean }} props
 */
export function EntryCard({ entry, onChange, isWhole = false }) {
  const { id, company, state, kind } = entry;
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const { isBusy, problem, run } = useAction();
  const [isOpen, setOpen] = useState(false);
  useKeptFocus(card, () => card.current?.querySelector(CONTROL));

  const change = (/** @type {"forget" | "restore"} */ action) => run(async () => {
    const result = await post(`/api/memory/entries/{entry}/${action}`, { entry: id, company });
    onChange(result, saidOf(result, `console-memory-told-${action}`));
  });
  async function correct(/** @type {HTMLFormElement} */ form) {
    const text = String(new FormData(form).get("text"));
    const result = await post("/api/memory/entries/{entry}/correct", { entry: id, company }, { text });
    setOpen(false);
    onChange(result, saidOf(result, "console-memory-told-correct"));
  }

  const actions = !isOpen && kind !== "context" && (state === "live" ? html`
    <button type="button" class="button" onClick=${() => setOpen(true)}>${t("console-memory-correct")}</button>
    <button type="button" class="button" onClick=${() => change("forget")}>${t("console-memory-forget")}</button>` : html`
    <button type="button" class="button" onClick=${() => change("restore")}>${t(`console-memory-undo-${state}`)}</button>`);
  const text = html`<span dir="auto">${entry.text}</span>`;
  return html`
    <${Card} label=${entry.text.slice(0, 80)} class="memory-entry" data-state=${state} data-trust=${entry.trust} isBusy=${isBusy} problem=${problem}
             actions=${actions} ref=${card}>
      ${isOpen ? html`<${Correction} entry=${entry} onSubmit=${correct} onCancel=${() => setOpen(false)} />`
        : html`<p class="memory-text">${isWhole ? text : html`<a href=${to`/memory/${id}`}>${text}</a>`}</p>`}
      <p class="quiet memory-about">
        <${Marks} entry=${entry} />
        ${entry.name && html`<span><bdi>${entry.name}</bdi></span>`}
        <${Time} at=${entry.at} />
        ${entry.topic && html`<span dir="auto">${entry.topic}</span>`}
        ${!isWhole && html`<code>${id}</code>`}
      </p>
    <//>`;
}

/** @param {{ entry: MemoryEntry, onSubmit: (form: HTMLFormElement) => unknown, onCancel: () => void }} props */
function Correction({ entry, onSubmit, onCancel }) {
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => form.current?.querySelector("textarea")?.focus(), []);
  return html`
    <div ref=${form} onKeyDown=${(/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") onCancel(); }}>
      <${Form} onSubmit=${onSubmit} submit=${t("console-memory-correct-save")} onCancel=${onCancel}>
        <${Field} label=${t("console-memory-correct-text")} name="text" rows=${4} defaultValue=${entry.text} required />
      <//>
    </div>`;
}

/** What it is, in a few words: a sign of trust has words too. @param {{ entry: MemoryEntry }} props */
export function Marks({ entry }) {
  const marks = [
    ["kind", `kind-${entry.kind}`],
    entry.state !== "live" && ["past", `state-${entry.state}`],
    entry.is_expired && ["past", "expired"],
    entry.trust === "hearsay" && ["hearsay", "hearsay"],
    entry.is_binding && ["binding", "binding"],
    entry.is_public && ["public", "public"],
  ];
  return marks.map((mark) => mark && html`<span class=${`mark ${mark[0]}-mark`}>${t(`console-memory-${mark[1]}`)}</span>`);
}

/** @param {MemoryResult} result @param {string} done */
export const saidOf = ({ state, reason }, done) =>
  state === "written" ? t(done) : `${t(`console-memory-result-${state}`)} ${reason ?? ""}`.trim();
