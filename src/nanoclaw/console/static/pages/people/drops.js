// What was not admitted, and why.
import { get } from "../../call.js";
import { Table } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { exactTime } from "../../moments.js";
import { useNewest } from "../../newest.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { peopleTabs } from "./tabs.js";

/** @import { Drop } from "api" */

/** @type {() => import("../../components/list.js").Column<Drop>[]} */
const columns = () => [
  { title: t("console-connections-time"), draw: ({ at }) => html`<${Time} at=${at} text=${exactTime(at)} />` },
  { title: t("console-door-who"), draw: ({ sender, handle }) => html`<bdi class="who">${sender}</bdi> <span class="handle">${handle}</span>` },
  { title: t("console-door-where"), draw: ({ chat, channel }) => html`<bdi>${chat}</bdi> <span class="channel">${channel}</span>` },
  { title: t("console-drops-said"), class: "said", draw: ({ text }) => html`<bdi>${text || t("console-drops-wordless")}</bdi>` },
  { title: t("console-drops-reason"), draw: ({ sentence }) => sentence },
];

export default function Drops() {
  const { items, more, problem, showMore } = useNewest((before) => get("/api/drops", { before }), { news: news.rooms });
  return html`
    <${Page} title=${t("console-nav-people")} tabs=${peopleTabs()}>
      <${Table} items=${items} columns=${columns()} keyOf=${(/** @type {Drop} */ { id }) => id} problem=${problem} none=${t("console-drops-none")}
                more=${more} moreText=${t("console-connections-more")} onMore=${showMore} />
    <//>`;
}
