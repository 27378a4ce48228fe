// The agent groups, and how a new one is made.
import { get, post } from "../../call.js";
import { Field, Form } from "../../components/form.js";
import { Table } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { peopleTabs } from "./tabs.js";

/** @import { Group } from "api" */

/** @type {() => import("../../components/list.js").Column<Group>[]} */
const columns = () => [
  {
    title: t("console-groups-name"),
    draw: ({ name, main }) => html`<bdi class="group-name">${name}</bdi> ${main && html`<span class="mark">${t("console-groups-main")}</span>`}`,
  },
  { title: t("console-groups-company"), class: "group-company", draw: ({ company }) => company || t("console-groups-unreadable") },
  { title: t("console-groups-chats"), draw: ({ chats }) => chats },
];

export default function Groups() {
  const { data, problem, look } = useLookup(() => get("/api/groups", {}));
  return html`
    <${Page} title=${t("console-nav-people")} tabs=${peopleTabs()}>
      <${Table} items=${data?.groups ?? null} columns=${columns()} keyOf=${(/** @type {Group} */ { name }) => name} problem=${problem}
                rowOf=${(/** @type {Group} */ { company }) => ({ class: company ? null : "faulty" })} />
      ${data && html`<${NewGroup} companies=${data.companies} onMade=${look} />`}
    <//>`;
}

/** @param {{ companies: string[], onMade: () => Promise<void> }} props */
function NewGroup({ companies, onMade }) {
  const [company, setCompany] = useState(companies[0] ?? "");
  const [said, setSaid] = useState("");
  async function make(/** @type {HTMLFormElement} */ form) {
    const written = new FormData(form);
    const name = /** @type {HTMLInputElement} */ (form.elements.namedItem("name"));
    setSaid("");
    try {
      const made = await post("/api/groups", {}, { name: name.value.trim(), company: company || String(written.get("new-company") ?? "").trim() });
      form.reset();
      setCompany(made.company);
      await onMade();
      setSaid(t("console-groups-made", { group: made.name }));
    } catch (error) {
      name.focus();
      throw error;
    }
  }
  // The choice without a value is the one that asks for a name.
  const choices = [...companies, ...(company && !companies.includes(company) ? [company] : [])].map((value) => ({ value, text: value }));
  return html`
    <section>
      <h2>${t("console-groups-new")}</h2>
      <${Form} submit=${t("console-groups-make")} onSubmit=${make}>
        <div class="fields">
          <${Field} label=${t("console-groups-name")} name="name" maxlength="40" />
          <${Field} label=${t("console-groups-company")} value=${company} choices=${[...choices, { value: "", text: t("console-groups-company-new") }]}
                    onChange=${(/** @type {any} */ { target }) => setCompany(target.value)} />
          ${company === "" && html`<${Field} label=${t("console-groups-company-name")} name="new-company" maxlength="40" />`}
        </div>
      <//>
      <p class="done" role="status">${said}</p>
    </section>`;
}
