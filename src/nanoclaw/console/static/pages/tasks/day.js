// One day of the calendar, by its own address: all that ran on it and will, or what one task did.
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { fullDay, isDay } from "../../moments.js";
import { query } from "../../router.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { Nowhere } from "../nowhere.js";
import { readDays } from "./days.js";
import { Runs } from "./runs.js";
import { calmNews } from "./tabs.js";

/** @param {{ day: string }} props */
export default function Day({ day }) {
  return isDay(day) ? html`<${Shown} key=${day} day=${day} />` : html`<${Nowhere} />`;
}

/** @param {{ day: string }} props */
function Shown({ day }) {
  const task = query.value.get("task");
  const { data, problem } = useLookup(() => readDays(day, day), { key: day, news: calmNews });
  const runs = data && (data.days.get(day) ?? []).filter((each) => !task || String(each.task_id) === task);
  return html`
    <${Page} title=${fullDay(day)} back=${`/calendar?day=${day}`}>
      <${Sentence} text=${problem || (runs ? (runs.length ? "" : t("console-calendar-day-none")) : t("console-loading"))} />
      ${runs && html`<${Runs} runs=${runs} isNamed open=${runs.length === 1 ? runs[0].id : undefined} />`}
      ${task && html`<p><a href=${`/calendar/${day}`}>${t("console-calendar-whole-day")}</a></p>`}
    <//>`;
}
