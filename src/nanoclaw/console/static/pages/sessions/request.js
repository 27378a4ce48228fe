// What is asked of the person: the request, who asks, how long there is, and what came with it.
import { useNow } from "../../clock.js";
import { Markup } from "../../components/markup.js";
import { Time } from "../../components/time.js";
import { span, t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { Folded } from "../inbox/parts.js";

/** @import { WholeSession } from "api" */

const SOON = 120_000;

/** @param {{ session: WholeSession }} props */
export function Request({ session: { question, live, outcome, xml } }) {
  const { skill, asker, group, context, config } = question;
  return html`
    <section class="session-request">
      <p class="question-head">
        <b>${t(`console-session-wants-${outcome}`)}</b>
        <span class="quiet"><bdi>${[skill || asker, group].filter(Boolean).join(" · ")}</bdi> · <${Time} at=${question.created_at} /> · <code>${question.short}</code></span>
      </p>
      <div class="bubble question-text" dir="auto"><${Markup} source=${question.html} text=${question.question} /></div>
      <${Folded} class="question-context" label=${t("console-question-context")} text=${context || asText(config?.context)} />
      <${Folded} class="question-context" label=${t("console-session-xml")} text=${xml} />
      ${question.status === "pending" && html`<${Left} at=${question.deadline_at} isWarned=${live.warned_at !== null} />`}
    </section>`;
}

/** @param {unknown} value */
const asText = (value) => value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2);

/** @param {{ at: string, isWarned: boolean }} props */
function Left({ at, isWarned }) {
  const left = Date.parse(at) - useNow();
  const text = isWarned || left <= 0 ? t("console-session-warned") : t("console-session-left", { left: span(left) });
  return html`<${Time} class=${`deadline quiet ${isWarned || left < SOON ? "soon" : ""}`} at=${at} text=${text} />`;
}
