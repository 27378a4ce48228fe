// A form built from a JSON Schema: a field for each property, what is wrong beside it, and what was written as JSON.
import { Field, Tick } from "../../components/form.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/**
 * @typedef {{ name: string, type: string, title?: string, description?: string, enum?: unknown[], required?: boolean, default?: unknown,
 *   format?: string, multiline?: boolean }} FieldOf
 * @typedef {Record<string, string>} Problems What is wrong, by the name of the field.
 */

const inputOf = (/** @type {FieldOf} */ { type, format }) =>
  type === "integer" || type === "number" ? { type: "number", step: type === "integer" ? "1" : "any" }
    : { type: { date: "date", email: "email", uri: "url", time: "time" }[format ?? ""] ?? "text" };

/** @param {{ fields: FieldOf[], value: unknown, problems: Problems }} props */
export function Fields({ fields, value, problems }) {
  const given = /** @type {Record<string, unknown>} */ (value && typeof value === "object" ? value : {});
  return fields.map((field) => html`
    <div class="schema-field" key=${field.name}>
      <${OneField} field=${field} given=${given[field.name] ?? field.default} problem=${problems[field.name] ?? ""} />
      <p class="problem" role="alert" id=${`wrong-${field.name}`}>${problems[field.name] ?? ""}</p>
    </div>`);
}

/** @param {{ field: FieldOf, given: unknown, problem: string }} props */
function OneField({ field, given, problem }) {
  const label = `${field.title || field.name}${field.required ? " *" : ""}`;
  const common = {
    label, name: field.name, hint: field.description, "aria-invalid": problem ? "true" : null,
    "aria-describedby": problem ? `wrong-${field.name}` : null, "aria-required": field.required ? "true" : null,
  };
  if (field.type === "boolean") return html`<${Tick} ...${common} defaultChecked=${given === true} />`;
  if (field.enum) {
    const choices = field.enum.map((each) => ({ value: JSON.stringify(each), text: typeof each === "string" ? each : JSON.stringify(each) }));
    const chosen = given === undefined ? "" : JSON.stringify(given);
    return html`<${Field} ...${common} choices=${[{ value: "", text: t("console-session-not-chosen") }, ...choices]} value=${chosen} />`;
  }
  if (isJson(field)) {
    const text = given === undefined ? "" : JSON.stringify(given, null, 2);
    return html`<${Field} ...${common} rows="4" class="json" spellcheck="false" defaultValue=${text} />`;
  }
  const text = given === undefined || given === null ? "" : String(given);
  if (field.type === "string" && (field.multiline || !field.format)) return html`<${Field} ...${common} rows="2" defaultValue=${text} />`;
  return html`<${Field} ...${common} ...${inputOf(field)} defaultValue=${text} />`;
}

/** Lists and objects are written as JSON. @param {FieldOf} field */
const isJson = ({ type }) => !["string", "integer", "number", "boolean"].includes(type);

/** What the form says; a field that was left empty is left out. @param {HTMLFormElement} form @param {FieldOf[]} fields */
export function readFields(form, fields) {
  /** @type {Record<string, unknown>} */
  const read = {};
  for (const field of fields) {
    const element = /** @type {HTMLInputElement} */ (form.elements.namedItem(field.name));
    const text = element.value;
    if (field.type === "boolean") read[field.name] = element.checked;
    else if (text.trim()) read[field.name] = valueOf(field, text);
  }
  return read;
}

/** @param {FieldOf} field @param {string} text */
function valueOf(field, text) {
  if (field.enum) return JSON.parse(text);
  if (field.type === "string") return text;
  if (!isJson(field)) return Number(text);
  return readJson(text, field.title || field.name);
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
export const readRaw = (form) => readJson(/** @type {HTMLTextAreaElement} */ (form.elements.namedItem("json")).value, t("console-session-conclusion"));
