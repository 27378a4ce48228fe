// The batches, the newest first: how far each is, about what, and what it cost.
import { get } from "../../call.js";
import { Card } from "../../components/card.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useState } from "../../vendor/index.js";
import { costText } from "../pipelines/figures.js";
import { calmNews, colourOf, standingOf, StateMark } from "./states.js";

/** @import { BatchLine } from "api" */

const PAGE = 20; // That the host gives at a time.

/** @param {number} wanted */
async function readBatches(wanted) {
  /** @type {BatchLine[]} */
  const batches = [];
  let page;
  do {
    page = await get("/api/batches", { limit: PAGE, before: batches.at(-1)?.id });
    batches.push(...page.batches);
  } while (page.more && batches.length < wanted);
  return { batches, more: page.more };
}

export default function Batches() {
  const [reach, setReach] = useState(PAGE);
  const { data, problem, look } = useLookup(() => readBatches(reach), { news: calmNews });
  useEffect(() => { if (reach > PAGE) look(); }, [reach]);
  const make = html`<a class="button primary" href="/batches/new">${t("console-batch-new")}</a>`;
  return html`
    <${Page} title=${t("console-batches")} actions=${make}>
      <p class="quiet">${t("console-batches-about")}</p>
      <${List} items=${data?.batches ?? null} keyOf=${(/** @type {BatchLine} */ { id }) => id} problem=${problem} none=${t("console-batches-none")}
               label=${t("console-batches")} draw=${(/** @type {BatchLine} */ batch) => html`<${BatchCard} batch=${batch} />`}
               more=${data?.more} onMore=${() => setReach(reach + PAGE)} />
    <//>`;
}

/** @param {{ batch: BatchLine }} props */
function BatchCard({ batch }) {
  const { counts } = batch;
  const failed = counts.errored + counts.expired;
  return html`
    <${Card} label=${batch.subject} class="run-card" data-state=${colourOf(standingOf(batch))}>
      <p class="task-head">
        <a class="task-title" dir="auto" href=${to`/batches/${batch.id}`}>${batch.items} × ${batch.subject}</a>
        <${StateMark} state=${standingOf(batch)} />
      </p>
      <p class="run-figures">
        <span>${t("console-batch-written", { done: counts.succeeded, count: batch.items })}</span>
        ${counts.succeeded > 0 && html`<span>${t("console-batch-passed", { count: counts.passed })}</span>`}
        ${failed > 0 && html`<span>${t("console-batch-failed-count", { count: failed })}</span>`}
        <span>${costText(batch)}</span>
      </p>
      <progress max=${batch.items} value=${counts.succeeded + failed + counts.canceled} aria-hidden="true"></progress>
      <p class="quiet">${[batch.model, batch.skill, batch.channel, batch.group, batch.started_by].filter(Boolean).join(" · ")} · <${Time} at=${batch.created_at} /> · <code>${batch.short}</code></p>
      ${batch.why && html`<p class="task-why" dir="auto">${batch.why}</p>`}
    <//>`;
}
