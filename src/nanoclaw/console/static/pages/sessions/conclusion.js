// The conclusion of a session: approve or reject, one of several, a text, or a form; filled in with what was said in passing.
import { post } from "../../call.js";
import { Field, Form, useAction } from "../../components/form.js";
import { t } from "../../texts.js";
import { html, useRef, useState } from "../../vendor/index.js";
import { Fields, findProblems, RawField, readFields, readProblems, readRaw } from "./schema-fields.js";

/**
 * @import { WholeSession } from "api"
 * @typedef {{ words: string, value: any, by: string, fits: boolean | null }} Prefill What was said in passing.
 * @typedef {{ options: string[], fields: import("./schema-fields.js").FieldOf[], raw: boolean, schema?: unknown, attempts: number }} FormOf
 * @typedef {{ form: FormOf, prefill: Prefill | null, conclude: (response: unknown) => Promise<void> }} Props
 */

/** @param {{ session: WholeSession, put: (session: WholeSession) => void, look: () => Promise<void> }} props */
export function Conclusion({ session, put, look }) {
  const { question: { id, may_decide: isMine }, outcome, live } = session;
  const prefill = /** @type {Prefill | null} */ (session.prefill);
  const form = /** @type {FormOf} */ (session.form);
  if (!isMine) return html`<p class="quiet">${t("console-question-not-yours")}</p>`;
  const conclude = async (/** @type {unknown} */ response) => {
    try {
      put(await post("/api/sessions/{session}/conclude", { session: id }, { response }));
    } catch (error) {
      look(); // It may have been one attempt too many, or somebody else was faster.
      throw error;
    }
  };
  const View = VIEWS[outcome] ?? FreeText;
  return html`
    <section class="conclusion" aria-label=${t("console-session-conclusion")}>
      <h2>${t("console-session-conclusion")}</h2>
      ${prefill && html`<p class="quiet session-said">${t("console-session-said", { name: prefill.by })} <q dir="auto">${prefill.words}</q></p>`}
      ${live.attempts > 0 && html`<p class="quiet">${t("console-session-attempts", { count: form.attempts - live.attempts })}</p>`}
      <${View} form=${form} prefill=${prefill} conclude=${conclude} />
    </section>`;
}

/** @param {Props} props */
function Approval({ prefill, conclude }) {
  const action = useAction();
  const [notes, setNotes] = useState("");
  const decide = (/** @type {boolean} */ approved) => action.run(() => conclude({ approved, notes: notes.trim() || null }));
  return html`
    ${prefill?.fits && html`<p class="quiet">${t(`console-session-leaning-${prefill.value}`)}</p>`}
    <${Field} label=${t("console-session-notes")} rows="2" maxlength="20000" value=${notes}
              onInput=${(/** @type {any} */ { target }) => setNotes(target.value)} />
    <div class="buttons" aria-busy=${action.isBusy ? "true" : null}>
      <button type="button" class="button primary" onClick=${() => decide(true)}>${t("console-session-approve")}</button>
      <button type="button" class="button danger" onClick=${() => decide(false)}>${t("console-session-reject")}</button>
    </div>
    <p class="problem" role="alert">${action.problem}</p>`;
}

/** @param {Props} props */
function Selection({ form: { options }, prefill, conclude }) {
  const [own, choose] = useState(/** @type {string | null} */ (null));
  const chosen = own ?? prefill?.value ?? ""; // What is said while the form is open fills it in too, until they choose themselves.
  return html`
    <${Form} submit=${t("console-session-conclude")} onSubmit=${() => {
      if (!chosen) throw new Error(t("console-session-choose"));
      return conclude(chosen);
    }}>
      <div class="session-options" role="radiogroup" aria-label=${t("console-question-options")}>
        ${options.map((option) => html`
          <label class="tick" key=${option}>
            <input type="radio" name="option" value=${option} checked=${option === chosen} onChange=${() => choose(option)} /> <span dir="auto">${option}</span>
          </label>`)}
      </div>
    <//>`;
}

/** @param {Props} props */
function FreeText({ prefill, conclude }) {
  return html`
    <${Form} submit=${t("console-session-conclude")} onSubmit=${(/** @type {any} */ { elements }) => {
      const text = elements.text.value.trim();
      if (!text) throw new Error(t("console-question-wordless"));
      return conclude(text);
    }}>
      <${Field} label=${t("console-session-text")} name="text" rows="5" maxlength="100000" defaultValue=${prefill?.value ?? ""} />
    <//>`;
}

/** Fields where the schema is simple enough, JSON where it is not, or where the person prefers it. @param {Props} props */
function Structured({ form, prefill, conclude }) {
  const { fields } = form;
  const [isRaw, setRaw] = useState(form.raw);
  const [problems, setProblems] = useState(/** @type {import("./schema-fields.js").Problems} */ ({}));
  const given = useRef(/** @type {unknown} */ (prefill?.value ?? undefined)); // What was filled in, when the person changes to JSON and back.

  async function submit(/** @type {HTMLFormElement} */ element) {
    const wrong = isRaw ? {} : findProblems(element, fields);
    setProblems(wrong);
    if (Object.keys(wrong).length) throw new Error(t("console-session-look-again"));
    const read = isRaw ? readRaw(element) : readFields(element, fields);
    given.current = read;
    try {
      await conclude(read);
    } catch (error) {
      setProblems(readProblems(/** @type {Error} */ (error).message, fields));
      throw error;
    }
  }

  return html`
    <${Form} class="schema-form" submit=${t("console-session-conclude")} onSubmit=${submit}>
      ${isRaw ? html`<${RawField} value=${given.current} schema=${form.schema} />` : html`<${Fields} fields=${fields} value=${given.current} problems=${problems} />`}
      ${!form.raw && html`
        <button type="button" class="link quiet" onClick=${(/** @type {any} */ { currentTarget }) => {
          try {
            given.current = isRaw ? readRaw(currentTarget.form) : readFields(currentTarget.form, fields);
          } catch {
            // What is not JSON yet stays behind.
          }
          setRaw(!isRaw);
        }}>${t(isRaw ? "console-session-as-form" : "console-session-as-json")}</button>`}
    <//>`;
}

/** @type {Record<string, (props: Props) => unknown>} */
const VIEWS = { approval: Approval, selection: Selection, freeform: FreeText, structured: Structured };
