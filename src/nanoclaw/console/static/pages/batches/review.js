// Texts one by one: approve, reword, reject or have one written again, with buttons or with the keyboard.
import { get, post, put } from "../../call.js";
import { Field, useAction } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Markup } from "../../components/markup.js";
import { Page } from "../../components/page.js";
import { Problem } from "../../components/problem.js";
import { Settled, useSettled } from "../../components/settled.js";
import { useLookup } from "../../lookup.js";
import { go, query, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { calmNews, choices, StateMark, stateOf } from "./states.js";
import { Faults, SendTime } from "./text.js";

/** The one in the address, otherwise the first after it that fits. @param {string} batch @param {any} choice @param {number} from */
async function readNext(batch, choice, from) {
  const page = await get("/api/batches/{batch}/texts", { batch, choice, after: from - 1, limit: 1 });
  return { text: page.texts[0] ?? null, count: page.count };
}

/** @param {{ batch: string }} props */
export default function Review({ batch: id }) {
  const choice = query.value.get("only") ?? "open";
  const from = Math.max(1, Number(query.value.get("number")) || 1);
  const batch = useLookup(() => get("/api/batches/{batch}", { batch: id }), { key: id, news: calmNews });
  // Without news: the text under somebody's eyes must not become another one before they have decided.
  const { data, problem, look } = useLookup(() => readNext(id, choice, from), { key: `${id} ${choice} ${from}` });
  const [doing, setDoing] = useState("");
  const settled = useSettled();
  const action = useAction();
  const text = data?.text ?? null;

  const show = (/** @type {number} */ number, /** @type {string} */ only = choice) => {
    setDoing("");
    action.setProblem("");
    go(`${to`/batches/${id}/review`}?${new URLSearchParams({ only, number: String(number) })}`, { replace: true });
  };
  const next = () => { if (text) show(text.number + 1); };
  const decide = (/** @type {string} */ said, /** @type {(number: number) => Promise<unknown>} */ act) => action.run(async () => {
    if (!text) return;
    await act(text.number);
    settled.say(t(said, { number: text.number }));
    batch.look();
    next();
  });
  const approve = () => decide("console-batch-told-approve", (number) => post("/api/batches/{batch}/texts/{number}/approve", { batch: id, number: String(number) }, { text_sha256: text?.text_sha256 }));
  const reject = () => decide("console-batch-told-reject", (number) => post("/api/batches/{batch}/texts/{number}/reject", { batch: id, number: String(number) }, { text_sha256: text?.text_sha256 }));
  const save = (/** @type {string} */ words) => decide("console-batch-told-edit", (number) => put("/api/batches/{batch}/texts/{number}", { batch: id, number: String(number) }, { text: words }));
  const rewrite = (/** @type {string} */ note) => decide("console-batch-told-rewrite", (number) => post("/api/batches/{batch}/texts/{number}/rewrite", { batch: id, number: String(number) }, { note }));

  /** @type {Record<string, () => unknown>} */
  const keys = {
    a: approve, r: reject, e: () => setDoing("edit"), w: () => setDoing("rewrite"), n: next, j: next, ArrowRight: next,
    k: () => text && show(Math.max(1, text.number - 1), "all"), ArrowLeft: () => text && show(Math.max(1, text.number - 1), "all"),
  };
  useKeys(keys, Boolean(text) && !doing);

  const { counts } = batch.data ?? {};
  return html`
    <${Page} title=${t("console-batch-review")} back=${to`/batches/${id}`}>
      <div class="batch-tools">
        <${Field} label=${t("console-batch-only")} value=${choice} choices=${choices().filter(({ value }) => value !== "failed")}
                  onChange=${(/** @type {any} */ { target }) => show(1, target.value)} />
        <p class="quiet" role="status">${data ? t("console-batch-shown", { count: data.count }) : ""}
          ${counts && ` · ${t("console-batch-verdicts", { approved: counts.approved, rejected: counts.rejected })}`}</p>
      </div>
      <${Settled} settled=${settled} />
      ${!text && html`<${Sentence} text=${problem || (data ? t("console-batch-review-none") : t("console-loading"))} />`}
      ${data && !text && html`<p><a class="button primary" href=${to`/batches/${id}`}>${t("console-batch-to-batch")}</a></p>`}
      ${text && html`
        <article class="review" key=${text.number} aria-labelledby="review-title">
          <h2 id="review-title" dir="auto">${t("console-batch-text-of", { number: text.number, count: batch.data?.counts.items ?? text.number })} · ${text.topic}</h2>
          <p class="task-head"><${StateMark} state=${stateOf(text)} kind="text" /><${SendTime} text=${text} /></p>
          <${Faults} text=${text} />
          ${text.error && html`<p class="task-why" dir="auto">${text.error}</p>`}
          ${doing === "edit"
            ? html`<${Words} label=${t("console-batch-words")} first=${text.text} submit=${t("console-batch-save-text")} rows=${14} onSubmit=${save} onCancel=${() => setDoing("")} />`
            : html`<div class="markup review-text" dir="auto"><${Markup} source=${text.html} text=${text.text} /></div>`}
          ${doing === "rewrite" && html`<${Words} label=${t("console-batch-note")} first="" submit=${t("console-batch-rewrite")} rows=${3} onSubmit=${rewrite} onCancel=${() => setDoing("")} />`}
          <${Problem} text=${action.problem} />
          ${!doing && html`
            <div class="buttons review-buttons" aria-busy=${action.isBusy ? "true" : null}>
              <button type="button" class="button primary" aria-keyshortcuts="a" onClick=${approve}>${t("console-batch-approve")} <kbd>A</kbd></button>
              <button type="button" class="button" aria-keyshortcuts="e" onClick=${() => setDoing("edit")}>${t("console-batch-edit")} <kbd>E</kbd></button>
              <button type="button" class="button" aria-keyshortcuts="w" onClick=${() => setDoing("rewrite")}>${t("console-batch-rewrite")} <kbd>W</kbd></button>
              <button type="button" class="button danger" aria-keyshortcuts="r" onClick=${reject}>${t("console-batch-reject")} <kbd>R</kbd></button>
              <button type="button" class="button" aria-keyshortcuts="n" onClick=${next}>${t("console-batch-next")} <kbd>→</kbd></button>
            </div>`}
        </article>`}
      ${!data && problem && html`<button type="button" class="button" onClick=${look}>${t("console-batch-try-again")}</button>`}
    <//>`;
}

/** @param {{ label: string, first: string, submit: string, rows: number, onSubmit: (words: string) => unknown, onCancel: () => void }} props */
function Words({ label, first, submit, rows, onSubmit, onCancel }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => place.current?.querySelector("textarea")?.focus(), []);
  return html`
    <form class="form" ref=${place} onSubmit=${(/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      onSubmit(String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("words") ?? ""));
    }} onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") onCancel();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) /** @type {HTMLFormElement} */ (event.currentTarget).requestSubmit();
    }}>
      <${Field} label=${label} name="words" rows=${rows} defaultValue=${first} maxlength="20000" />
      <div class="buttons">
        <button type="button" class="button" onClick=${onCancel}>${t("console-cancel")}</button>
        <button type="submit" class="button primary">${submit}</button>
      </div>
    </form>`;
}

/** Keys of the whole page, except where somebody writes or chooses. @param {Record<string, () => unknown>} keys @param {boolean} isOn */
function useKeys(keys, isOn) {
  const newest = useRef(keys);
  newest.current = isOn ? keys : {}; // With what is drawn: an effect would be late for somebody quick.
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog")) return;
      const act = newest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
