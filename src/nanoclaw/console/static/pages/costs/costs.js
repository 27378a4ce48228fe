// What model calls cost: today, this month and about at its end; by day or by anything else; and the most expensive turns.
import { addressOf, get } from "../../call.js";
import "../../components/files.js"; // saves what a link to a file of the host leads to
import { Field } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { go, query } from "../../router.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { Budgets } from "./budget.js";
import { Report } from "./report.js";
import { Turns } from "./turns.js";

const GROUPINGS = ["day", "company", "model", "flow", "skill", "person", "group", "chat", "task", "run"];
const PERIODS = ["today", "week", "month", "30d", "90d", "365d", "all"];

/** @typedef {{ by: string, since: string, company?: string }} Wanted */

/** What the address says, or the usual. @returns {Wanted} */
function wanted() {
  const [by, since] = [query.value.get("by") ?? "", query.value.get("since") ?? ""];
  return {
    by: GROUPINGS.includes(by) ? by : "day",
    since: since || "30d",
    company: query.value.get("company") || undefined,
  };
}

/** @param {Wanted} next */
const show = (next) => go(addressOf("/costs", next), { replace: true });

export default function Costs() {
  const chosen = wanted();
  const { data: costs, problem } = useLookup(() => get("/api/costs", {}));
  const report = useLookup(() => get("/api/costs/report", chosen), { key: JSON.stringify(chosen) });
  return html`
    <${Page} title=${t("console-costs")}>
      ${costs && html`
        <p class="summary costs-head">
          <span>${t("console-costs-today")} <strong>${costs.today.money}</strong></span>
          <span>${t("console-costs-month")} <strong>${costs.month.money}</strong></span>
        </p>
        <p class="quiet costs-outlook">${costs.outlook}</p>`}
      <${Budgets} company=${chosen.company} />
      <${Switches} chosen=${chosen} companies=${costs?.known ?? []} />
      <${Sentence} text=${problem || report.problem || (report.data ? "" : t("console-loading"))} />
      ${report.data && html`<${Report} report=${report.data} />`}
      ${report.data && report.data.lines.length > 0 && html`<${Download} chosen=${chosen} />`}
      <${Turns} since=${chosen.since} company=${chosen.company} />
    <//>`;
}

/** @param {{ chosen: Wanted, companies: string[] }} props */
function Switches({ chosen, companies }) {
  const periods = PERIODS.includes(chosen.since) ? PERIODS : [...PERIODS, chosen.since];
  return html`
    <div class="costs-switches">
      <${Field} label=${t("console-costs-by")} name="by" value=${chosen.by}
                choices=${GROUPINGS.map((value) => ({ value, text: t(`console-costs-by-${value}`) }))}
                onChange=${(/** @type {any} */ { target }) => show({ ...chosen, by: target.value })} />
      <${Field} label=${t("console-costs-since")} name="since" value=${chosen.since}
                choices=${periods.map((value) => ({ value, text: PERIODS.includes(value) ? t(`console-costs-since-${value}`) : value }))}
                onChange=${(/** @type {any} */ { target }) => show({ ...chosen, since: target.value })} />
      ${(companies.length > 1 || chosen.company) && html`
        <${Field} label=${t("console-costs-company")} name="company" value=${chosen.company ?? ""}
                  choices=${[{ value: "", text: t("console-costs-all") }, ...companies.map((value) => ({ value, text: value }))]}
                  onChange=${(/** @type {any} */ { target }) => show({ ...chosen, company: target.value || undefined })} />`}
    </div>`;
}

/** @param {{ chosen: Wanted }} props */
const Download = ({ chosen }) => html`
  <p><a class="button" href=${addressOf("/api/costs/csv", chosen)} download=${`costs-by-${chosen.by}-${chosen.since}.csv`}>${t("console-costs-download")}</a></p>`;
