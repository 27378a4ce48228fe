// What agents hand over to each other: a card for each chain, the newest first.
import { get } from "../../call.js";
import { Card } from "../../components/card.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { html, useEffect, useState } from "../../vendor/index.js";
import { Chain } from "./chain.js";

/** @import { Handoff } from "api" */

const PAGE = 50;

export const calmNews = news.calmed(news.handoffs);

/** @param {number} wanted */
async function readChains(wanted) {
  /** @type {Handoff[]} */
  const found = [];
  let page;
  do {
    page = (await get("/api/handoffs", { limit: PAGE, before: found.at(-1)?.id })).handoffs;
    found.push(...page);
  } while (page.length === PAGE && found.length < wanted);
  /** @type {Map<string, Handoff[]>} */
  const chains = new Map();
  for (const each of found) chains.set(each.chain_id, [each, ...chains.get(each.chain_id) ?? []]);
  return { chains: [...chains.values()], more: page.length === PAGE };
}

export default function Handoffs() {
  const [reach, setReach] = useState(PAGE);
  const { data, problem, look } = useLookup(() => readChains(reach), { news: calmNews });
  useEffect(() => { if (reach > PAGE) look(); }, [reach]);
  return html`
    <${Page} title=${t("console-handoffs")}>
      <p class="quiet">${t("console-handoffs-about")}</p>
      <${List} items=${data?.chains ?? null} keyOf=${(/** @type {Handoff[]} */ [first]) => first.chain_id} problem=${problem}
               none=${t("console-handoffs-none")} label=${t("console-handoffs")}
               draw=${(/** @type {Handoff[]} */ chain) => html`<${ChainCard} chain=${chain} />`}
               more=${data?.more} onMore=${() => setReach(reach + PAGE)} />
    <//>`;
}

/** @param {{ chain: Handoff[] }} props */
function ChainCard({ chain }) {
  const [first] = chain;
  return html`
    <${Card} label=${first.content.slice(0, 80)} class="chain-card">
      <p class="quiet">${[first.person, first.chat_title, first.from_group].filter(Boolean).join(" · ")} · <${Time} at=${first.created_at} /></p>
      <${Chain} handoffs=${chain} message=${first.message} />
    <//>`;
}
