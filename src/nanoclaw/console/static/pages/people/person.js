// One person, by their own address.
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { readPeople } from "./people.js";
import { PersonCard } from "./person-card.js";

/** @import { Person as Known } from "api" */

/** @param {{ person: string }} props */
export default function Person({ person: id }) {
  const { data, problem, put } = useLookup(readPeople);
  const person = data?.people.find((each) => each.id === id);
  const change = (/** @type {Known} */ changed) => {
    if (data) put({ ...data, people: data.people.map((each) => each.id === id ? changed : each) });
  };
  return html`
    <${Page} title=${person?.name ?? t("console-nav-people")} back="/people">
      ${!person && html`<${Sentence} text=${problem || t(data ? "console-person-gone" : "console-loading")} />`}
      ${person && html`<${PersonCard} person=${person} groups=${data?.groups ?? []} onChange=${change} />`}
    <//>`;
}
