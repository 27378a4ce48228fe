// The "Connections" panel: where programs in boxes wanted to connect, and what the models cost.
import * as api from "./api.js";
import { byId, copyOf, setTime } from "./pieces.js";
import { bytes, clockSeconds, dayKey, duration, shortTime, t } from "./texts.js";

const panel = byId("connections");
const rows = panel.querySelector("tbody");
const more = panel.querySelector("[data-action=more-connections]");

export async function showConnections() {
  rows.replaceChildren();
  panel.querySelector(".costs").textContent = "";
  panel.showModal();
  await Promise.all([load(), showCosts()]);
}

export const showMoreConnections = () => load(rows.lastElementChild.dataset.id);

async function load(before) {
  say(t("console-connections-loading"));
  more.hidden = true;
  try {
    const page = await api.listConnections(before);
    // The panel may have been opened twice meanwhile; what is there already is not shown again.
    const fresh = page.items.filter(({ id }) => !rows.querySelector(`[data-id="${CSS.escape(id)}"]`));
    rows.append(...fresh.map(draw));
    more.hidden = !page.more;
    say(rows.childElementCount ? "" : t("console-connections-none"));
  } catch (error) {
    say(error.message);
  }
}

async function showCosts() {
  const costs = await api.readCosts().catch(() => null); // The list says already what is wrong.
  if (!costs) return;
  const amounts = { today: costs.today.money, month: costs.month.money };
  panel.querySelector(".costs").textContent = t("console-costs", amounts);
}

function say(text) {
  panel.querySelector(".sentence").textContent = text;
  panel.querySelector("table").hidden = rows.childElementCount === 0;
}

function draw({ id, at, group, host, port, verdict, sent, received, seconds }) {
  const row = copyOf("connection-template");
  const put = (selector, text) => { row.querySelector(selector).textContent = text; };
  row.dataset.id = id;
  row.dataset.verdict = verdict;
  const isToday = dayKey(at) === dayKey(Date.now());
  setTime(row.querySelector("time"), at, isToday ? clockSeconds(at) : shortTime(at));
  put(".group", group);
  put(".host", `${host}:${port}`);
  put(".verdict", t(`console-verdict-${verdict}`));
  if (verdict === "allowed") {
    put(".bytes", bytes(sent + received));
    row.querySelector(".bytes").title = `↑ ${bytes(sent)} ↓ ${bytes(received)}`;
    put(".duration", duration(seconds * 1000));
  }
  return row;
}
