// What each company may spend, how much of it is used and what that means; the owner changes it here.
import { get, post } from "../../call.js";
import { Card } from "../../components/card.js";
import { Field, Form } from "../../components/form.js";
import { useLookup } from "../../lookup.js";
import { budgets as news } from "../../news.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @typedef {import("api").Budget} Budget */
/** @typedef {import("api").UsedLimit} UsedLimit */

/** @param {{ company?: string }} props */
export function Budgets({ company }) {
  const { data, problem, look } = useLookup(() => get("/api/budgets", {}), { news });
  const shown = (data?.budgets ?? []).filter((each) => !company || each.company === company);
  return html`
    <section class="budgets" aria-label=${t("console-budgets")}>
      ${problem && html`<p class="quiet">${problem}</p>`}
      ${shown.map((budget) => html`<${BudgetCard} key=${budget.company} budget=${budget} changed=${look} />`)}
    </section>`;
}

/** @param {{ budget: Budget, changed: () => unknown }} props */
function BudgetCard({ budget, changed }) {
  const { company } = budget;
  /** @param {HTMLFormElement} form */
  const text = (form) => String(new FormData(form).get("amount") ?? "").trim();
  async function limit(/** @type {HTMLFormElement} */ form) {
    const period = String(new FormData(form).get("period"));
    await post("/api/budgets/{company}/limit", { company }, { period: period === "day" ? "day" : "month", amount: text(form) });
    form.reset();
    await changed();
  }
  async function add(/** @type {HTMLFormElement} */ form) {
    await post("/api/budgets/{company}/override", { company }, { amount: text(form) });
    form.reset();
    await changed();
  }
  const periods = ["day", "month"].map((value) => ({ value, text: t(`console-budget-limit-${value}`) }));
  return html`
    <${Card} label=${t("console-budget-of", { company })} class="budget" problem=${budget.fault ?? ""}>
      <h2>${t("console-budget-of", { company })}</h2>
      <${Bar} used=${budget.day} />
      <${Bar} used=${budget.month} />
      <p>${budget.sentence}</p>
      ${budget.waiting > 0 && html`<p class="quiet">${t("console-budget-waiting", { count: budget.waiting })}</p>`}
      <details>
        <summary>${t("console-budget-change")}</summary>
        <${Form} onSubmit=${limit} submit=${t("console-budget-save")} class="budget-limit">
          <${Field} label=${t("console-budget-period")} name="period" choices=${periods} />
          <${Field} label=${t("console-budget-amount")} name="amount" inputmode="decimal" maxlength="40" hint=${t("console-budget-amount-hint")} />
        <//>
        ${(budget.day.limit_usd !== null || budget.month.limit_usd !== null) && html`
          <${Form} onSubmit=${add} submit=${t("console-budget-add")} class="budget-override">
            <${Field} label=${t("console-budget-more")} name="amount" inputmode="decimal" maxlength="40" hint=${t("console-budget-more-hint")} />
          <//>`}
      </details>
    <//>`;
}

/** @param {{ used: UsedLimit }} props */
function Bar({ used }) {
  const spent = dollars(used.spent_usd);
  const label = t(`console-budget-${used.period}`);
  if (used.limit_usd === null) return html`<p class="budget-bar"><span>${label}</span><span>${t("console-budget-unlimited", { spent })}</span></p>`;
  const told = t("console-budget-used", { spent, limit: dollars(used.limit_usd), percent: Math.floor(used.share * 100) });
  return html`
    <p class="budget-bar"><span>${label}</span><span>${told}</span>
      <meter min="0" max="1" low="0.8" high="0.95" optimum="0" value=${Math.min(used.share, 1)} aria-label=${`${label}: ${told}`}></meter>
    </p>`;
}

/** Cents, and more where less was spent than one. @param {number} amount */
function dollars(amount) {
  const digits = amount === 0 || amount >= 0.01 ? 2 : 4;
  return `$${amount.toFixed(digits)}`;
}
