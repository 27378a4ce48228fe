// Everyone who has written or has a role.
import { get } from "../../call.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { fits } from "../../filter.js";
import { useLookup } from "../../lookup.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { PersonCard } from "./person-card.js";
import { Search } from "./search.js";
import { peopleTabs } from "./tabs.js";

/** @import { Person } from "api" */

export async function readPeople() {
  const [{ people }, { groups }] = await Promise.all([get("/api/people", {}), get("/api/groups", {})]);
  return { people, groups: groups.map(({ name }) => name) };
}

export default function People() {
  const { data, problem, put } = useLookup(readPeople);
  const [words, setWords] = useState("");
  const shown = data && data.people.filter(({ name, username, handle }) => fits(words, [name, username, handle]));
  const change = (/** @type {Person} */ person) => {
    if (data) put({ ...data, people: data.people.map((each) => each.id === person.id ? person : each) });
  };
  return html`
    <${Page} title=${t("console-nav-people")} tabs=${peopleTabs()}>
      <${Search} words=${words} onWords=${setWords} />
      <${List} items=${shown} keyOf=${(/** @type {Person} */ { id }) => id} problem=${problem} none=${t("console-filter-none")}
               draw=${(/** @type {Person} */ person) => html`<${PersonCard} person=${person} groups=${data?.groups ?? []} onChange=${change} />`} />
    <//>`;
}
