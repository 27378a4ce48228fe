// Lists that only grow, newest first: what was not admitted and why, who changed what, what was decided.
import * as api from "./api.js";
import { byId, copyOf, setTime } from "./pieces.js";
import { clock, clockSeconds, dayKey, place, shortTime, t } from "./texts.js";

export const showDrops = makeLedger(byId("door-drops"), {
  read: api.listDrops,
  template: "drop-template",
  none: () => t("console-drops-none"),
  draw(put, { sender, handle, chat, channel, text, sentence }) {
    put(".who", sender);
    put(".handle", handle);
    put(".where", chat);
    put(".channel", channel);
    put(".said", text || t("console-drops-wordless"));
    put(".reason", sentence);
  },
});

export const showAudit = makeLedger(byId("door-audit"), {
  read: api.listAudit,
  template: "audit-template",
  none: () => t("console-audit-none"),
  draw(put, { name, handle, via, sentence }) {
    put(".who", name);
    put(".handle", handle);
    put(".via", place(via));
    put(".what", sentence);
  },
});

// With `keeps`, rows that are there stay as they are when the list is looked up anew.
export function makeLedger(part, { read, template, none, draw, keeps = false }) {
  const table = part.querySelector("table");
  const rows = part.querySelector("tbody");
  const more = part.querySelector("button");
  const problem = part.querySelector(".problem");

  function put(items, place = null) {
    for (const item of items) rows.insertBefore(rowOf(item), place);
  }

  function rowOf(item) {
    const row = copyOf(template);
    row.dataset.id = item.id;
    const isToday = dayKey(item.at) === dayKey(Date.now());
    setTime(row.querySelector("time"), item.at, isToday ? clockSeconds(item.at) : `${shortTime(item.at)} ${clock(item.at)}`);
    draw((selector, text) => { row.querySelector(selector).textContent = text; }, item, row);
    return row;
  }

  more.addEventListener("click", async () => {
    const last = rows.lastElementChild;
    problem.textContent = "";
    try {
      const page = await read(last.dataset.id);
      if (rows.lastElementChild !== last) return; // It was pressed twice, or the list was looked up anew.
      put(page.items);
      more.hidden = !page.more;
      // The button moves down, and out of sight; whoever reads goes on with what has come.
      if (more.hidden) rows.lastElementChild.scrollIntoView({ block: "nearest" });
    } catch (error) {
      problem.textContent = error.message;
    }
  });

  return async (isStale) => {
    const page = await read();
    if (isStale()) return;
    problem.textContent = "";
    const there = new Set([...rows.children].map((row) => row.dataset.id));
    if (keeps && page.items.some(({ id }) => there.has(id))) {
      // What is new was decided last, and the newest comes first.
      return put(page.items.filter(({ id }) => !there.has(id)), rows.firstElementChild);
    }
    rows.replaceChildren();
    put(page.items);
    table.hidden = page.items.length === 0;
    more.hidden = !page.more;
    return page.items.length ? "" : none();
  };
}
