// Who changed what: roles, wirings, decisions at the door.
import { get } from "../../call.js";
import { Table } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { exactTime } from "../../moments.js";
import { useNewest } from "../../newest.js";
import { place, t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { peopleTabs } from "./tabs.js";

/** @import { AuditEntry } from "api" */

/** @type {() => import("../../components/list.js").Column<AuditEntry>[]} */
const columns = () => [
  { title: t("console-connections-time"), draw: ({ at }) => html`<${Time} at=${at} text=${exactTime(at)} />` },
  { title: t("console-door-who"), draw: ({ name, handle }) => html`<bdi class="who">${name}</bdi> <span class="handle">${handle}</span>` },
  { title: t("console-audit-via"), class: "via", draw: ({ via }) => place(via) },
  { title: t("console-audit-what"), draw: ({ sentence }) => sentence },
];

export default function Audit() {
  const { items, more, problem, showMore } = useNewest((before) => get("/api/audit", { before }));
  return html`
    <${Page} title=${t("console-nav-people")} tabs=${peopleTabs()}>
      <${Table} items=${items} columns=${columns()} keyOf=${(/** @type {AuditEntry} */ { id }) => id} problem=${problem} none=${t("console-audit-none")}
                more=${more} moreText=${t("console-connections-more")} onMore=${showMore} />
    <//>`;
}
