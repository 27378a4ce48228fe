// The most expensive turns, each with the way to its story.
import { get } from "../../call.js";
import { Sentence } from "../../components/list.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { to } from "../../router.js";
import { clock, dateFormat, t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @import { DearTurn } from "api" */

const day = dateFormat({ day: "numeric", month: "short" });

/** @param {{ since: string, company?: string }} props */
export function Turns({ since, company }) {
  const { data, problem } = useLookup(() => get("/api/costs/turns", { since, company }), { key: `${since} ${company ?? ""}` });
  if (!problem && !data?.turns.length) return null;
  return html`
    <section class="dear-turns">
      <h2>${t("console-costs-turns")}</h2>
      <${Sentence} text=${problem} />
      <ol class="cards">
        ${data?.turns.map((turn) => html`<li key=${turn.turn}><${Turn} turn=${turn} /></li>`)}
      </ol>
    </section>`;
}

/** @param {{ turn: DearTurn }} props */
const Turn = ({ turn }) => html`
  <article class="card dear-turn">
    <strong class="dear-money">${turn.spent.money}</strong>
    <span class="dear-what" dir="auto">${[turn.flow, turn.skill, turn.person, turn.chat].filter(Boolean).join(" · ")}</span>
    <span class="quiet"><${Time} at=${turn.at} text=${`${day(turn.at)}, ${clock(turn.at)}`} /> · ${turn.models.join(", ")} · ${t("console-costs-turn-calls", { count: turn.spent.calls })}</span>
    <${Story} turn=${turn} />
  </article>`;

/** @param {{ turn: DearTurn }} props */
function Story({ turn: { message, run, task } }) {
  if (run) return html`<a class="dear-story" href=${to`/pipelines/runs/${run}`}>${t("console-costs-run")}</a>`;
  if (task) return html`<a class="dear-story" href=${to`/tasks/${task}`}>${t("console-costs-task")}</a>`;
  return message ? html`<a class="dear-story" href=${to`/why/${message}`}>${t("console-costs-story")}</a>` : null;
}
