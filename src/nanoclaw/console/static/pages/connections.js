// Where programs in boxes wanted to connect, newest first, and what the models cost.
import * as api from "../api.js";
import { Table } from "../components/list.js";
import { Page } from "../components/page.js";
import { Time } from "../components/time.js";
import { useLookup } from "../lookup.js";
import { bytes, clockSeconds, dayKey, duration, shortTime, t } from "../texts.js";
import { html, useState } from "../vendor/index.js";

/** @typedef {import("api").Connection} Connection */

export default function Connections() {
  const { data, problem } = useLookup(api.listConnections);
  const costs = useLookup(api.readCosts);
  const [older, setOlder] = useState({ items: /** @type {Connection[]} */ ([]), more: /** @type {boolean | null} */ (null), problem: "" });
  const items = data && [...data.items, ...older.items];

  async function showOlder() {
    try {
      const page = await api.listConnections(items?.at(-1)?.id);
      setOlder({ items: [...older.items, ...page.items], more: page.more, problem: "" });
    } catch (error) {
      setOlder({ ...older, problem: /** @type {Error} */ (error).message });
    }
  }

  return html`
    <${Page} title=${t("console-connections-title")}>
      ${costs.data && html`<p class="costs">${t("console-costs", { today: costs.data.today.money, month: costs.data.month.money })}</p>`}
      <${Table} class="connections" items=${items} keyOf=${(/** @type {Connection} */ { id }) => id} columns=${columns()}
                rowOf=${(/** @type {Connection} */ { verdict }) => ({ "data-verdict": verdict })}
                none=${t("console-connections-none")} problem=${problem || older.problem} label=${t("console-connections-title")}
                more=${older.more ?? data?.more ?? false} moreText=${t("console-connections-more")} onMore=${showOlder} />
    <//>`;
}

/** @returns {import("../components/list.js").Column<Connection>[]} */
const columns = () => [
  { title: t("console-connections-time"), draw: ({ at }) => html`<${Time} at=${at} text=${isToday(at) ? clockSeconds(at) : shortTime(at)} />` },
  { title: t("console-connections-group"), class: "group", draw: ({ group }) => group },
  { title: t("console-connections-host"), class: "host", draw: ({ host, port }) => `${host}:${port}` },
  { title: t("console-connections-verdict"), class: "verdict", draw: ({ verdict }) => t(`console-verdict-${verdict}`) },
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
