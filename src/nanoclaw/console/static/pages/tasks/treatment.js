// How a task is treated when things do not go as they should.
import { Field } from "../../components/form.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @param {{ bind: (name: string) => Record<string, unknown> }} props */
export function Treatment({ bind }) {
  const choose = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string[]} */ values) => html`
    <${Field} label=${t(`console-task-${label}`)} choices=${values.map((value) => ({ value, text: t(`console-${label}-${value}`) }))} ...${bind(name)} />`;
  const span = (/** @type {string} */ name, /** @type {string} */ placeholder) => html`
    <${Field} label=${t(`console-task-${name.replace("_", "-")}`)} maxlength="40" placeholder=${t(placeholder)} ...${bind(name)} />`;
  const number = (/** @type {string} */ name, /** @type {number} */ least, /** @type {number} */ most) => html`
    <${Field} label=${t(`console-task-${name.replaceAll("_", "-")}`)} type="number" inputmode="numeric" min=${least} max=${most} step="1"
              placeholder=${t("console-task-usual")} ...${bind(name)} />`;
  return html`
    <details class="treatment">
      <summary>${t("console-task-treatment")}</summary>
      <fieldset>
        <legend>${t("console-treatment-late")}</legend>
        <div class="fields">
          ${choose("catch_up", "catch-up", ["latest", "none", "all"])}
          ${number("most_caught_up", 1, 100)}
          ${span("stale_after", "console-task-never-span")}
          ${choose("overlap", "overlap", ["skip", "queue"])}
          ${span("jitter", "console-task-exactly")}
        </div>
      </fieldset>
      <fieldset>
        <legend>${t("console-treatment-wrong")}</legend>
        <div class="fields">
          ${number("retries", 0, 20)}
          ${span("retry_pause", "console-task-usual")}
          ${number("pause_after", 1, 1000)}
          ${span("deliver_by", "console-task-never-span")}
          <${Field} label=${t("console-task-alarm-to")} maxlength="80" spellcheck="false" placeholder=${t("console-task-alarm-own")} ...${bind("alarm_to")} />
        </div>
      </fieldset>
      <fieldset>
        <legend>${t("console-task-check")}</legend>
        <${Field} class="shell" label=${t("console-task-check-hint")} rows="3" spellcheck="false" ...${{ ...bind("check"), dir: "ltr" }} />
      </fieldset>
      <p class="quiet">${t("console-task-span-hint")}</p>
    </details>`;
}
