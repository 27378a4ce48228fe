// When the texts go out: from which day on, at which hours, and whether also at weekends.
import { get, post } from "../../call.js";
import { Field, Form, Tick } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { addDays, today } from "../../moments.js";
import { go, goBack, to } from "../../router.js";
import { dayKey, t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { told } from "./states.js";

/** @param {{ batch: string }} props */
export default function Schedule({ batch: id }) {
  const { data: batch, problem } = useLookup(() => get("/api/batches/{batch}", { batch: id }), { key: id });

  async function send(/** @type {HTMLFormElement} */ form) {
    const given = new FormData(form);
    const times = String(given.get("times") ?? "").split(/[\s,;]+/).filter(Boolean);
    const chat = String(given.get("chat") ?? "").trim();
    const planned = await post("/api/batches/{batch}/schedule", { batch: id }, {
      first: String(given.get("first") ?? "") || null, times, weekdays: given.get("weekdays") !== null, chat: chat || null,
    });
    told.value = planned.count ? t("console-batch-told-scheduled", { count: planned.count }) : t("console-batch-told-scheduled-already");
    go(to`/batches/${id}`, { replace: true });
  }

  const counts = batch?.counts;
  const last = batch?.scheduled?.last_at; // Further texts come after those that wait.
  const firstDay = addDays(last ? dayKey(Date.parse(last)) : today(), 1);
  return html`
    <${Page} title=${t("console-batch-schedule")} back=${to`/batches/${id}`}>
      ${!batch && html`<${Sentence} text=${problem || t("console-loading")} />`}
      ${batch && counts && html`
        <p dir="auto">${batch.items} × ${batch.subject}</p>
        <p class="quiet">${counts.approved ? t("console-batch-schedule-approved", { count: counts.approved }) : t("console-batch-schedule-passed", { count: counts.passed })}</p>
        <${Form} class="task-form" submit=${t("console-batch-schedule-now")} onSubmit=${send} onCancel=${() => goBack(to`/batches/${id}`)} aria-label=${t("console-batch-schedule")}>
          <div class="fields">
            <${Field} label=${t("console-batch-first-day")} name="first" type="date" defaultValue=${firstDay} min=${today()} />
            <${Field} label=${t("console-batch-hours")} name="times" defaultValue="10:00" maxlength="200" hint=${t("console-batch-hours-hint", { zone: batch.timezone })} />
            <${Field} label=${t("console-batch-chat")} name="chat" maxlength="200" placeholder=${batch.chat_title} hint=${t("console-batch-chat-hint")} />
          </div>
          <${Tick} label=${t("console-batch-weekdays")} name="weekdays" />
          <p class="quiet">${t("console-batch-schedule-about")}</p>
        <//>`}
    <//>`;
}
