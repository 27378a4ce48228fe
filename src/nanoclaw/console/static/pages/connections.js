// Where programs in boxes wanted to connect, newest first.
import * as api from "../api.js";
import { Table } from "../components/list.js";
import { Page } from "../components/page.js";
import { Time } from "../components/time.js";
import { useNewest } from "../newest.js";
import { bytes, clockSeconds, dayKey, duration, shortTime, t } from "../texts.js";
import { html } from "../vendor/index.js";

/** @typedef {import("api").Connection} Connection */

export default function Connections() {
  const { items, more, problem, showMore } = useNewest(api.listConnections);
  return html`
    <${Page} title=${t("console-connections-title")}>
      <${Table} class="connections" items=${items} keyOf=${(/** @type {Connection} */ { id }) => id} columns=${columns()}
                rowOf=${(/** @type {Connection} */ { verdict }) => ({ "data-verdict": verdict })}
                none=${t("console-connections-none")} problem=${problem} label=${t("console-connections-title")}
                more=${more} moreText=${t("console-connections-more")} onMore=${showMore} />
    <//>`;
}

/** @returns {import("../components/list.js").Column<Connection>[]} */
const columns = () => [
  { title: t("console-connections-time"), draw: ({ at }) => html`<${Time} at=${at} text=${isToday(at) ? clockSeconds(at) : shortTime(at)} />` },
  { title: t("console-connections-group"), class: "group", draw: ({ group }) => group },
  { title: t("console-connections-host"), class: "host", draw: ({ host, port }) => `${host}:${port}` },
  { title: t("console-connections-verdict"), class: "judged", draw: ({ verdict }) => t(`console-verdict-${verdict}`) },
  {
    title: t("console-connections-bytes"),
    class: "bytes",
    draw: ({ verdict, sent, received }) => verdict === "allowed"
      && html`<span title=${`↑ ${bytes(sent)} ↓ ${bytes(received)}`}>${bytes(sent + received)}</span>`,
  },
  {
    title: t("console-connections-duration"),
    class: "duration",
    draw: ({ verdict, seconds }) => verdict === "allowed" && duration(seconds * 1000),
  },
];

const isToday = (/** @type {string} */ at) => dayKey(at) === dayKey(Date.now());
