// Lines that could not be used: why, and what can be done about each.
import { get, post } from "../../call.js";
import { Card } from "../../components/card.js";
import { isMeant } from "../../components/dialog.js";
import { Field, Form, useAction } from "../../components/form.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useKeptFocus, useSettled } from "../../components/settled.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { t } from "../../texts.js";
import { html, useRef, useState } from "../../vendor/index.js";
import { saidOf } from "./card.js";
import { calmNews, company, CompanyChoice, memoryTabs } from "./tabs.js";

/** @import { MemoryChange } from "api" */

export default function Quarantine() {
  const { data, problem, look, put } = useLookup(() => get("/api/memory/quarantine", { company: company.value }), { key: company.value, news: calmNews });
  const settled = useSettled();
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useKeptFocus(place, () => settled.line.current);
  const end = (/** @type {MemoryChange} */ gone, /** @type {string} */ said, /** @type {Element} */ card) => {
    settled.say(said);
    settled.leave(card, "button");
    if (data) put({ ...data, changes: data.changes.filter(({ id }) => id !== gone.id) });
    look();
  };
  return html`
    <${Page} title=${t("console-memory")} tabs=${memoryTabs()}>
      <${CompanyChoice} shown=${data?.company} companies=${data?.companies} />
      <p class="quiet">${t("console-memory-quarantine-sentence")}</p>
      <${Settled} settled=${settled} />
      <div class="list" ref=${place}>
        <${List} items=${data?.changes ?? null} keyOf=${(/** @type {MemoryChange} */ { id }) => id} problem=${problem}
                 none=${t("console-memory-quarantine-none")}
                 draw=${(/** @type {MemoryChange} */ change) => html`<${LineCard} change=${change} onEnd=${end} />`} />
      </div>
    <//>`;
}

/** @param {{ change: MemoryChange, onEnd: (change: MemoryChange, said: string, card: Element) => void }} props */
function LineCard({ change, onEnd }) {
  const { id, reason, raw } = change;
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const { isBusy, problem, run } = useAction();
  const [isOpen, setOpen] = useState(false);

  async function drop() {
    const isGone = await isMeant({
      title: t("console-memory-drop-title"),
      sentence: t("console-memory-drop-sentence"),
      quote: raw?.slice(0, 300),
      act: t("console-memory-drop"),
    });
    if (isGone) {
      await run(async () => {
        const element = /** @type {HTMLElement} */ (card.current); // The news may come first and take the card away.
        await post("/api/memory/quarantine/{change}/drop", { change: id });
        onEnd(change, t("console-memory-told-drop"), element);
      });
    }
  }
  async function mend(/** @type {HTMLFormElement} */ form) {
    const line = String(new FormData(form).get("line"));
    const element = /** @type {HTMLElement} */ (card.current);
    const result = await post("/api/memory/quarantine/{change}/mend", { change: id }, { line });
    onEnd(change, saidOf(result, "console-memory-told-add"), element);
  }

  const actions = !isOpen && html`
    <button type="button" class="button" onClick=${() => setOpen(true)}>${t("console-memory-mend")}</button>
    <button type="button" class="button delete" onClick=${drop}>${t("console-memory-drop")}</button>`;
  return html`
    <${Card} label=${reason ?? id} class="memory-entry" isBusy=${isBusy} problem=${problem} actions=${actions} ref=${card}>
      <p>${reason}</p>
      <p class="quiet memory-about"><${Time} at=${change.at} />${change.name && html`<bdi>${change.name}</bdi>`}</p>
      ${isOpen ? html`
        <${Form} onSubmit=${mend} submit=${t("console-memory-mend-save")} onCancel=${() => setOpen(false)}>
          <${Field} class="shell" label=${t("console-memory-mend-line")} name="line" rows=${5} defaultValue=${raw ?? ""} dir="ltr" spellcheck=${false} />
        <//>` : html`<pre class="raw" dir="ltr" tabindex="0" role="region" aria-label=${t("console-memory-raw")}>${raw}</pre>`}
    <//>`;
}
