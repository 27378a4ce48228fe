// What came of questions, newest first; a row opens to exactly what was decided on.
import { get } from "../../call.js";
import { Table } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { exactTime } from "../../moments.js";
import { useNewest } from "../../newest.js";
import * as news from "../../news.js";
import { place, t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { AskAgain, fastOf, Record } from "./record.js";
import { inboxTabs } from "./tabs.js";
import { headline } from "./wording.js";

/** @import { Question } from "api" */

export default function Decisions() {
  const { items, more, problem, showMore } = useNewest(async (before) => {
    const page = await get("/api/decisions", { before });
    return { items: page.decisions, more: page.more };
  }, { news: news.questions });
  const [open, setOpen] = useState(/** @type {string[]} */ ([]));
  const isOpen = (/** @type {Question} */ { id }) => open.includes(id);
  const toggle = (/** @type {Question} */ { id }) => setOpen(open.includes(id) ? open.filter((each) => each !== id) : [...open, id]);

  /** @type {import("../../components/list.js").Column<Question>[]} */
  const columns = [
    { title: t("console-connections-time"), draw: (each) => html`<${Time} at=${each.resolved_at ?? each.created_at} text=${exactTime(each.resolved_at ?? each.created_at)} />` },
    {
      title: t("console-decisions-question"),
      draw: (each) => html`
        <button type="button" class="link what" dir="auto" aria-expanded=${String(isOpen(each))} onClick=${() => toggle(each)}>${headline(each)}</button>${" "}
        <span class="channel">${each.skill || each.group}</span>`,
    },
    {
      title: t("console-decisions-chosen"),
      draw: ({ chosen_label: label, user_input: words }) => html`
        <bdi class="chosen">${label}</bdi> <span class="wrote" dir="auto">${words === label ? "" : words}</span>`,
    },
    {
      title: t("console-door-who"),
      draw: (each) => html`
        <bdi class="who">${each.status === "timeout" ? t("console-decision-nobody") : each.decided_name}</bdi> <span class="channel">${place(each.via)}</span>`,
    },
    { title: t("console-decisions-fast"), class: "fast", draw: fastOf },
    {
      title: t("console-decisions-status"),
      draw: (each) => html`<span class="mark status">${t(`console-status-${each.status}`)}</span> <${AskAgain} question=${each} />`,
    },
  ];

  return html`
    <${Page} title=${t("console-inbox")} tabs=${inboxTabs()}>
      <div class="history">
        <${Table} items=${items} columns=${columns} keyOf=${(/** @type {Question} */ { id }) => id} problem=${problem}
                  none=${t("console-decisions-none")} rowOf=${(/** @type {Question} */ { status }) => ({ class: "decision", "data-status": status })}
                  below=${(/** @type {Question} */ each) => isOpen(each) && html`<${Record} question=${each} isTitled />`}
                  more=${more} moreText=${t("console-connections-more")} onMore=${showMore} />
      </div>
    <//>`;
}
