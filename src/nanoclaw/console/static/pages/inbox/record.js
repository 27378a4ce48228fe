// A decision as it was written down: what came of it, and exactly what was decided on.
import { post } from "../../call.js";
import { useAction } from "../../components/form.js";
import { Markup } from "../../components/markup.js";
import { Problem } from "../../components/problem.js";
import { Time } from "../../components/time.js";
import { to } from "../../router.js";
import { duration, place, t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { Document, Folded } from "./parts.js";
import { headline, outcomeOf } from "./wording.js";

/** @import { Question } from "api" */

/** @param {{ question: Question }} props */
export const Outcome = ({ question }) => html`
  <p class="outcome" data-status=${question.status}>
    <span class="mark status">${t(`console-status-${question.status}`)}</span> <b>${outcomeOf(question)}</b>
  </p>
  <p class="quiet">
    <${Time} at=${question.resolved_at ?? question.created_at} />
    ${[place(question.via), question.skill || question.group, fastOf(question)].filter(Boolean).map((text) => ` · ${text}`)}
  </p>
  <${AskAgain} question=${question} />`;

/** How long it took. @param {Question} question */
export const fastOf = ({ seconds }) => seconds === null ? "" : duration(seconds * 1000);

/** @param {{ question: Question, isTitled?: boolean }} props */
export function Record({ question, isTitled = false }) {
  const text = question.question.trim();
  return html`
    ${!(isTitled && text === headline(question)) && html`
      <div class="bubble question-text" dir="auto"><${Markup} source=${question.html} text=${text} /></div>`}
    <${Document} question=${question} />
    <${Folded} class="payload" label=${t("console-decision-payload")} text=${pretty(question.payload)} isOpen />
    <dl class="facts">
      <dt>${t("console-decision-hash")}</dt>
      <dd><code class="hash">${question.payload_hash}</code></dd>
      <dt>${t("console-decision-id")}</dt>
      <dd><a href=${to`/inbox/${question.id}`}><code>${question.id}</code></a></dd>
    </dl>`;
}

/** @param {string} payload */
function pretty(payload) {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
}

/** What ran out of time while an agent waited can be asked once more. @param {{ question: Question }} props */
export function AskAgain({ question: { id, status, session_id: session } }) {
  const { isBusy, problem, run } = useAction();
  const [again, setAgain] = useState(/** @type {Question | null} */ (null));
  if (status !== "timeout" || !session) return null;
  if (again) {
    return html`<a class="quiet" href=${to`/inbox/${again.id}`}>${t("console-decision-asked-again", { text: again.short })}</a>`;
  }
  return html`
    <button type="button" class="link again" aria-disabled=${isBusy ? "true" : null}
            onClick=${() => run(async () => setAgain(await post("/api/questions/{question}/again", { question: id })))}>
      ${t("console-decision-again")}
    </button>
    <${Problem} text=${problem} />`;
}
