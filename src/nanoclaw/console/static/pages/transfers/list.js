// Sessions that were taken elsewhere: those that are open first, then what came of earlier ones; and the way back.
import { get } from "../../call.js";
import { useNow } from "../../clock.js";
import { Card } from "../../components/card.js";
import { List, Table } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useSettled } from "../../components/settled.js";
import { Time } from "../../components/time.js";
import { fits } from "../../filter.js";
import { useLookup } from "../../lookup.js";
import { useNewest } from "../../newest.js";
import { go, query, to } from "../../router.js";
import { span, t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { AnalysisCard } from "./analysis.js";
import { BringPlace } from "./bring.js";
import { TakeDialog } from "./take.js";
import { calmNews, colourOf, standingOf, StateMark, targetName, titleOf } from "./states.js";

/** @import { Analysis, TransferLine } from "api" */

const PAGE = 20; // That the host gives at a time.
const MOST_OPEN = 100;
const FEW = 5;
const HERE = "/transfers";

const keyOf = (/** @type {{ id: string }} */ { id }) => id;

export default function Transfers() {
  const { data, problem, look } = useLookup(() => get("/api/transfers", { state: "open", limit: MOST_OPEN }), { news: calmNews });
  const earlier = useNewest(async (before) => {
    const page = await get("/api/transfers", { state: "over", before, limit: PAGE });
    return { items: page.transfers, more: page.more };
  }, { news: calmNews });
  const taken = query.value.get("take"); // The room from which the person came to take it elsewhere.
  const away = (data?.transfers ?? []).filter(({ state }) => state === "delivered");
  const [words, setWords] = useState("");
  const isMeant = (/** @type {TransferLine} */ each) => fits(words, [each.purpose, targetName(each.target), each.group, each.chat_title, each.asked_by, each.id, t(`console-transfer-state-${standingOf(each)}`)]);
  const hasMany = (data?.transfers.length ?? 0) + (earlier.items?.length ?? 0) >= FEW;
  const over = earlier.items?.filter(isMeant) ?? [];
  const settled = useSettled();
  const take = html`<button type="button" class="button primary" onClick=${() => go(`${HERE}?take=`, { replace: true })}>${t("console-transfer-take")}</button>`;
  return html`
    <${Page} title=${t("console-transfers")} actions=${take}>
      <p class="quiet">${t("console-transfers-about")}</p>
      <${Settled} settled=${settled} />
      ${away.length > 0 && html`<${BringPlace} choices=${away} />`}
      ${data && data.unmatched.length > 0 && html`
        <section>
          <h2>${t("console-analyses-unmatched")}</h2>
          <${List} items=${data.unmatched} keyOf=${keyOf} label=${t("console-analyses-unmatched")}
                   draw=${(/** @type {Analysis} */ analysis) => html`<${AnalysisCard} analysis=${analysis} onChange=${look} onSaid=${settled.say} />`} />
        </section>`}
      ${(words || hasMany) && html`
        <input type="search" aria-label=${t("console-transfers-filter")} placeholder=${t("console-transfers-filter")} value=${words}
               onInput=${(/** @type {any} */ { target }) => setWords(target.value)} />`}
      <${List} items=${data?.transfers.filter(isMeant) ?? null} keyOf=${keyOf} problem=${problem} none=${t(words ? "console-filter-none" : "console-transfers-none")} label=${t("console-transfers-open")}
               draw=${(/** @type {TransferLine} */ transfer) => html`<${TransferCard} transfer=${transfer} />`} />
      ${over.length > 0 && html`
        <section>
          <h2>${t("console-transfers-earlier")}</h2>
          <${Table} items=${over} columns=${columns()} keyOf=${keyOf} problem=${earlier.problem} label=${t("console-transfers-earlier")}
                    more=${earlier.more} onMore=${earlier.showMore} />
        </section>`}
      ${taken !== null && html`<${TakeDialog} room=${taken} onClose=${() => go(HERE, { replace: true })} />`}
    <//>`;
}

/** @param {{ transfer: TransferLine }} props */
function TransferCard({ transfer }) {
  const left = Date.parse(transfer.expires_at) - useNow();
  const standing = standingOf(transfer);
  return html`
    <${Card} label=${titleOf(transfer)} class="run-card" data-state=${colourOf(standing)}>
      <p class="task-head">
        <a class="task-title" dir="auto" href=${to`/transfers/${transfer.id}`}>${titleOf(transfer)}</a>
        <${StateMark} state=${standing} />
      </p>
      <p class="run-figures">
        ${transfer.purpose && html`<span>${targetName(transfer.target)}</span>`}
        ${left > 0 && html`<span>${t("console-transfer-left", { left: span(left) })}</span>`}
      </p>
      <p class="quiet"><bdi>${[transfer.group, transfer.chat_title, transfer.asked_by].filter(Boolean).join(" · ")}</bdi> · <${Time} at=${transfer.created_at} /> · <code>${transfer.short}</code></p>
      ${transfer.asks && html`<a class="button primary transfer-open" href=${to`/transfers/${transfer.id}`}>${t("console-transfer-look")}</a>`}
    <//>`;
}

/** @returns {import("../../components/list.js").Column<TransferLine>[]} */
const columns = () => [
  { title: t("console-connections-time"), draw: (each) => html`<${Time} at=${each.ended_at ?? each.created_at} />` },
  {
    title: t("console-transfer-what"),
    draw: (each) => html`
      <a class="what" dir="auto" href=${to`/transfers/${each.id}`}>${titleOf(each)}</a>${" "}
      <span class="channel">${[each.purpose && targetName(each.target), each.group].filter(Boolean).join(" · ")}</span>`,
  },
  { title: t("console-door-who"), draw: ({ asked_by: name }) => html`<bdi class="who">${name}</bdi>` },
  {
    title: t("console-decisions-status"),
    draw: (each) => html`<${StateMark} state=${each.state} />${each.why && html` <span class="quiet" dir="auto">${each.why}</span>`}`,
  },
];
