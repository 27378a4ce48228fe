// A form built from a JSON Schema: a field for each property, what is wrong beside it, and what was written as JSON.
import { Field, Tick } from "../../components/form.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";

/**
 * `type`: text, integer, number, boolean, choice, list (of texts) or json.
 * @typedef {{ name: string, type: string, required: boolean, title?: string, description?: string, enum?: unknown[], default?: unknown,
 *   format?: string, pattern?: string, minimum?: number, maximum?: number, minLength?: number, maxLength?: number }} FieldOf
 * @typedef {Record<string, string>} Problems What is wrong, by the name of the field.
 */

/** @type {Record<string, string>} Formats for which browsers have an input. */
const INPUTS = { date: "date", email: "email", uri: "url" };

/** @param {{ fields: FieldOf[], value: unknown, problems: Problems }} props */
export function Fields({ fields, value, problems }) {
  const given = /** @type {Record<string, unknown>} */ (value && typeof value === "object" ? value : {});
  return fields.map((field, index) => html`
    <div class="schema-field" key=${field.name}>
      <${OneField} field=${field} given=${given[field.name] ?? field.default} problemId=${problems[field.name] ? `wrong-${index}` : null} />
      <p class="problem" role="alert" id=${`wrong-${index}`}>${problems[field.name] ?? ""}</p>
    </div>`);
}

/** @param {{ field: FieldOf, given: unknown, problemId: string | null }} props */
function OneField({ field, given, problemId }) {
  const { type, name, format } = field;
  const common = {
    label: `${field.title || name}${field.required ? " *" : ""}`, name, hint: field.description,
    "aria-invalid": problemId ? "true" : null, "aria-describedby": problemId,
  };
  const text = given === undefined || given === null ? "" : String(given);
  // What the browser can see at once is told before anything is sent: a conclusion that does not fit counts.
  const limits = { required: field.required, minlength: field.minLength, maxlength: field.maxLength, pattern: field.pattern };
  if (type === "boolean") return html`<${Tick} ...${common} defaultChecked=${given === true} />`;
  if (type === "choice") return html`<${Choice} ...${common} required=${field.required} values=${field.enum ?? []} given=${given} />`;
  if (type === "integer" || type === "number") {
    return html`<${Field} ...${common} type="number" required=${field.required} step=${type === "integer" ? "1" : "any"}
                          min=${field.minimum} max=${field.maximum} defaultValue=${text} />`;
  }
  if (type === "list") {
    return html`<${Field} ...${common} required=${field.required} rows="3" hint=${field.description || t("console-session-list-hint")}
                          defaultValue=${Array.isArray(given) ? given.join("\n") : ""} />`;
  }
  if (type === "json") {
    return html`<${Field} ...${common} required=${field.required} rows="4" class="json" spellcheck="false"
                          defaultValue=${given === undefined ? "" : JSON.stringify(given, null, 2)} />`;
  }
  if (format || field.pattern) return html`<${Field} ...${common} ...${limits} type=${INPUTS[format ?? ""] ?? "text"} defaultValue=${text} />`;
  return html`<${Field} ...${common} ...${limits} rows="2" defaultValue=${text} />`;
}

/** @param {{ values: unknown[], given: unknown, label: string } & Record<string, unknown>} props */
function Choice({ values, given, ...rest }) {
  const [chosen, choose] = useState(given === undefined ? "" : JSON.stringify(given));
  const choices = values.map((each) => ({ value: JSON.stringify(each), text: typeof each === "string" ? each : JSON.stringify(each) }));
  return html`<${Field} ...${rest} choices=${[{ value: "", text: t("console-session-not-chosen") }, ...choices]} value=${chosen}
                        onChange=${(/** @type {any} */ { target }) => choose(target.value)} />`;
}

/** What the browser sees, in the language of the page. @param {HTMLFormElement} form @param {FieldOf[]} fields @returns {Problems} */
export function findProblems(form, fields) {
  const wrong = fields.filter(({ name }) => !elementOf(form, name).validity.valid);
  return Object.fromEntries(wrong.map((field) => [field.name, problemOf(field, elementOf(form, field.name).validity)]));
}

/** @param {FieldOf} field @param {ValidityState} seen */
function problemOf(field, seen) {
  if (seen.valueMissing) return t("console-session-field-missing");
  if (seen.rangeUnderflow) return t("console-session-field-least", { number: field.minimum ?? "" });
  if (seen.rangeOverflow) return t("console-session-field-most", { number: field.maximum ?? "" });
  if (seen.tooShort) return t("console-session-field-short", { count: field.minLength ?? "" });
  if (field.type === "integer") return t("console-session-field-whole");
  return t("console-session-field-form", { form: field.pattern ?? field.format ?? field.type });
}

/**
 * The same for what the host found: it names the place before each finding, as in "`/name/0`: is too short".
 * @param {string} sentence @param {FieldOf[]} fields @returns {Problems}
 */
export function readProblems(sentence, fields) {
  /** @type {Problems} */
  const found = {};
  for (const [, place, said] of sentence.matchAll(/`\/([^`]*)`: (.*?)(?=\s`\/|$)/g)) {
    const name = place ? place.split("/", 1)[0] : fields.find((field) => said.startsWith(`'${field.name}'`))?.name;
    if (fields.some((field) => field.name === name)) found[name ?? ""] ??= said;
  }
  return found;
}

/** What the form says; a field that was left empty is left out. @param {HTMLFormElement} form @param {FieldOf[]} fields */
export function readFields(form, fields) {
  /** @type {Record<string, unknown>} */
  const read = {};
  for (const field of fields) {
    const element = elementOf(form, field.name);
    if (field.type === "boolean") read[field.name] = element.checked;
    else if (element.value.trim()) read[field.name] = valueOf(field, element.value);
  }
  return read;
}

/** @param {HTMLFormElement} form @param {string} name */
const elementOf = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** @param {FieldOf} field @param {string} text */
function valueOf({ type, title, name }, text) {
  if (type === "choice") return JSON.parse(text);
  if (type === "integer" || type === "number") return Number(text);
  if (type === "list") return text.split("\n").map((line) => line.trim()).filter(Boolean);
  return type === "json" ? readJson(text, title || name) : text;
}

/** @param {string} text @param {string} name */
function readJson(text, name) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(t("console-session-not-json", { name }));
  }
}

/** @param {{ value: unknown, schema: unknown }} props */
export const RawField = ({ value, schema }) => html`
  <${Field} label=${t("console-session-json")} name="json" class="json" rows="8" spellcheck="false"
            defaultValue=${value === undefined ? "" : JSON.stringify(value, null, 2)} />
  <details class="question-context"><summary>${t("console-session-schema")}</summary><pre tabindex="0">${JSON.stringify(schema ?? {}, null, 2)}</pre></details>`;

/** @param {HTMLFormElement} form */
export const readRaw = (form) => readJson(elementOf(form, "json").value, t("console-session-conclusion"));
