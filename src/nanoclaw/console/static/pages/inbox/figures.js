// How fast people decide, and how often nobody does: as plots and as a table.
import { get } from "../../call.js";
import { Field } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Plot } from "../../components/plot.js";
import { useLookup } from "../../lookup.js";
import * as news from "../../news.js";
import { go, query } from "../../router.js";
import { duration, percent, t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { inboxTabs } from "./tabs.js";
import { kindName } from "./wording.js";

/** @import { Figure, Figures as Counted } from "api" */

const MOST_BARS = 8; // The table has all of them.
const DAYS = ["7", "30", "90", "365"];

export default function Figures() {
  const wanted = query.value.get("days") ?? "";
  const days = DAYS.includes(wanted) ? wanted : "30";
  const { data, problem } = useLookup(() => get("/api/decisions/figures", { days: Number(days) }), { key: days, news: news.questions });
  return html`
    <${Page} title=${t("console-inbox")} tabs=${inboxTabs()}>
      <div class="figures-head">
        <h2>${t("console-figures")}</h2>
        <${Field} label=${t("console-figures-days")} name="days" value=${days}
                  choices=${DAYS.map((value) => ({ value, text: t(`console-figures-days-${value}`) }))}
                  onChange=${(/** @type {any} */ { target }) => go(`/figures?days=${target.value}`, { replace: true })} />
      </div>
      <${Sentence} text=${problem} />
      ${data ? html`<${Shown} figures=${data} />` : null}
    <//>`;
}

/** @param {{ figures: Counted }} props */
function Shown({ figures: { total, by_kind: kinds, by_skill: skills } }) {
  if (total.asked === 0) return html`<p class="summary">${t("console-figures-none")}</p>`;
  const byKind = kinds.map((each) => ({ ...each, name: kindName(each.name) }));
  const bySkill = skills.map((each) => ({ ...each, name: each.name === "-" ? t("console-figures-no-skill") : each.name }));
  const amounts = { count: total.asked, mean: time(total.mean), median: time(total.median), rate: percent(total.timeout_rate) };
  return html`
    <p class="summary">${t("console-figures-summary", amounts)}</p>
    <div class="plots">
      <${Times} title=${t("console-figures-times-by-kind")} figures=${byKind} />
      <${Rates} title=${t("console-figures-rates-by-kind")} figures=${byKind} />
      <${Times} title=${t("console-figures-times-by-skill")} figures=${bySkill} />
      <${Rates} title=${t("console-figures-rates-by-skill")} figures=${bySkill} />
    </div>
    <details class="figures-table">
      <summary>${t("console-figures-table")}</summary>
      <div class="wide" role="region" tabindex="0" aria-label=${t("console-figures-table")}>
        <table>
          <thead><tr>${COLUMNS.map((column) => html`<th scope="col">${t(column)}</th>`)}</tr></thead>
          <tbody><${Row} figure=${{ ...total, name: t("console-figures-all") }} /></tbody>
          <tbody aria-label=${t("console-figures-times-by-kind")}>${byKind.map((figure) => html`<${Row} figure=${figure} />`)}</tbody>
          <tbody aria-label=${t("console-figures-times-by-skill")}>${bySkill.map((figure) => html`<${Row} figure=${figure} />`)}</tbody>
        </table>
      </div>
    </details>`;
}

const COLUMNS = [
  "console-figures-name", "console-figures-asked", "console-figures-answered", "console-figures-timed-out",
  "console-figures-mean", "console-figures-median", "console-figures-rate",
];

const time = (/** @type {number | null} */ seconds) => seconds === null ? "–" : duration(seconds * 1000);

/** @param {{ figure: Figure }} props */
const Row = ({ figure }) => html`
  <tr>
    <th scope="row">${figure.name}</th>
    ${[figure.asked, figure.answered, figure.timed_out, time(figure.mean), time(figure.median), percent(figure.timeout_rate)]
      .map((text) => html`<td>${text}</td>`)}
  </tr>`;

/** @param {{ title: string, figures: Figure[] }} props */
function Times({ title, figures }) {
  const longest = Math.max(...figures.map(({ mean, median }) => Math.max(mean ?? 0, median ?? 0)));
  const share = (/** @type {number | null} */ seconds) => (seconds ?? 0) / longest || 0;
  const groups = figures.slice(0, MOST_BARS).map(({ name, mean, median }) => ({
    name,
    bars: [
      { class: "median", share: share(median), text: time(median), label: t("console-figures-median") },
      { class: "mean", share: share(mean), text: time(mean), label: t("console-figures-mean") },
    ].slice(0, median === null ? 1 : 2), // Where no person decided there is one dash.
  }));
  const legend = [
    { class: "median", text: t("console-figures-median") },
    { class: "mean", text: t("console-figures-mean") },
  ];
  return html`<${Plot} title=${title} groups=${groups} legend=${legend} />`;
}

/** @param {{ title: string, figures: Figure[] }} props */
const Rates = ({ title, figures }) => html`
  <${Plot} title=${title} groups=${figures.slice(0, MOST_BARS).map(({ name, timeout_rate: rate }) => ({
    name,
    bars: [{ class: "rate", share: rate, text: percent(rate), label: t("console-figures-rate") }],
  }))} />`;
