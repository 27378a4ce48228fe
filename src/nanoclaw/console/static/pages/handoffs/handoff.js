// One handoff, live: what was given, what came of it, its limits, and the chain it belongs to.
import { get, post } from "../../call.js";
import { isMeant } from "../../components/dialog.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { zoned } from "../../moments.js";
import { useLookup } from "../../lookup.js";
import { to } from "../../router.js";
import { dollars, t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { Chain, StateMark } from "./chain.js";
import { calmNews } from "./list.js";

/** @import { WholeHandoff } from "api" */

/** @param {{ handoff: string }} props */
export default function HandoffPage({ handoff: id }) {
  const { data: handoff, problem, put } = useLookup(() => get("/api/handoffs/{handoff}", { handoff: id }), { key: id, news: calmNews });

  const cancel = () => isMeant({
    title: t("console-handoff-cancel-title"),
    sentence: t("console-handoff-cancel-sentence"),
    quote: handoff?.content ?? "",
    act: t("console-handoff-cancel"),
    cancel: t("console-handoff-cancel-not"),
    run: async () => put(await post("/api/handoffs/{handoff}/cancel", { handoff: id })),
  });

  const actions = handoff && !handoff.is_over && html`
    <button key="cancel" type="button" class="button danger" onClick=${cancel}>${t("console-handoff-cancel")}</button>`;
  return html`
    <${Page} title=${handoff ? `${handoff.from_skill} → ${handoff.to_skill}` : t("console-handoffs")} back="/handoffs" isBackBefore actions=${actions}>
      ${!handoff && html`<${Sentence} text=${problem || t("console-loading")} />`}
      ${handoff && html`
        <${Summary} handoff=${handoff} />
        <div class="run-parts">
          <${Chain} handoffs=${handoff.chain.handoffs} message=${handoff.chain.message} chosen=${id} />
          <section class="step" aria-label=${t("console-handoff-given")}>
            <${Part} title=${t("console-handoff-given")} text=${handoff.content} />
            ${handoff.reason && html`<${Part} title=${t("console-handoff-reason")} text=${handoff.reason} />`}
            ${handoff.result && html`<${Part} title=${t("console-handoff-result")} text=${handoff.result} />`}
            <details class="step-part"><summary>${t("console-handoff-contract")}</summary>
              <pre class="step-plain" dir="ltr">${JSON.stringify(handoff.contract, null, 2)}</pre></details>
          </section>
        </div>`}
    <//>`;
}

/** @param {{ title: string, text: string }} props */
const Part = ({ title, text }) => html`<div class="step-part"><h3>${title}</h3><p class="step-plain" dir="auto">${text}</p></div>`;

/** @param {{ handoff: WholeHandoff }} props */
function Summary({ handoff }) {
  const { chain } = handoff;
  /** @type {[string, unknown][]} */
  const facts = [
    ["console-handoff-for", [handoff.person, handoff.chat_title, handoff.from_group].filter(Boolean).join(" · ")],
    ["console-handoff-until", zoned(handoff.expires_at)],
    ["console-handoff-cost", chain.budget_usd ? t("console-handoff-cost-of", { is: dollars(chain.cost_usd), most: dollars(chain.budget_usd) }) : dollars(chain.cost_usd)],
    ["console-handoff-source", handoff.is_mixed ? t("console-handoff-hearsay") : ""],
  ];
  return html`
    <div class="run-summary" data-state=${handoff.state}>
      <p class="run-status" role="status">
        <${StateMark} state=${handoff.state} />
        <span>${t(`console-handoff-way-${handoff.way}`)} · ${t(`console-handoff-type-${handoff.type}`)}</span>
        ${chain.message_id && html`<a class="quiet" href=${to`/why/${chain.message_id}`}>${t("console-why")}</a>`}
      </p>
      <dl class="facts">${facts.filter(([, text]) => text).map(([key, text]) => html`<dt key=${key}>${t(key)}</dt><dd>${text}</dd>`)}</dl>
    </div>`;
}
