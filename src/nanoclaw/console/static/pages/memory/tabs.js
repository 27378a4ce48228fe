// The pages of memory, the company that they show, and the news of it.
import { Field } from "../../components/form.js";
import * as news from "../../news.js";
import { query } from "../../router.js";
import { t } from "../../texts.js";
import { effect, html, signal } from "../../vendor/index.js";

export const memoryTabs = () => [
  { href: "/memory", text: t("console-memory-entries") },
  { href: "/memory/notes", text: t("console-memory-notes") },
  { href: "/memory/quarantine", text: t("console-memory-quarantine") },
];

const BREATH = 250; // Milliseconds: an import has news of a thousand entries.

export const calmNews = signal(0);

let isWaiting = false;
effect(() => {
  if (!news.memory.value || isWaiting) return;
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    calmNews.value += 1;
  }, BREATH);
});

// Undefined: that of the main agent group, which the host knows.
export const company = signal(/** @type {string | undefined} */ (query.peek().get("company") ?? undefined));

/** Stands where there is a choice. @param {{ shown?: string, companies?: string[] }} props */
export const CompanyChoice = ({ shown, companies = [] }) => companies.length > 1 && html`
  <${Field} class="company" label=${t("console-memory-company")} value=${shown} choices=${companies.map((name) => ({ value: name, text: name }))}
            onChange=${(/** @type {any} */ { target }) => { company.value = target.value; }} />`;

// What was done in a form, for the page that comes after it.
export const told = signal("");

export function takeTold() {
  const text = told.peek();
  told.value = "";
  return text;
}
