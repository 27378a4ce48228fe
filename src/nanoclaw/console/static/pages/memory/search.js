// What a company knows: found by words and filters, or the newest.
import { get } from "../../call.js";
import { Field, Tick } from "../../components/form.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useKeptFocus, useSettled } from "../../components/settled.js";
import { useLookup } from "../../lookup.js";
import { query } from "../../router.js";
import { t } from "../../texts.js";
import { html, signal, useEffect, useMemo, useRef, useState } from "../../vendor/index.js";
import { EntryCard } from "./card.js";
import { calmNews, company, CompanyChoice, memoryTabs, takeTold } from "./tabs.js";

/** @import { MemoryEntry, MemoryResult } from "api" */
/** @typedef {"fact" | "decision" | "preference" | "priority" | "activity"} Kind */
/** @typedef {{ words: string, kind: string, topic: string, person: string, source: string, trusted: string, since: string, until: string, past: boolean }} Wanted */

const PAGE = 20;
const MOST = 100; // That the host gives at a time.
const BREATH = 250; // Milliseconds after the last letter.
const KINDS = ["fact", "decision", "preference", "priority", "activity"];
/** @type {Wanted} */
const NOTHING = { words: "", kind: "", topic: "", person: "", source: "", trusted: "", since: "", until: "", past: false };

// A person who comes back from an entry finds their search.
const wanted = signal(/** @type {Wanted} */ ({ ...NOTHING, words: query.peek().get("words") ?? "" }));

/** A day of the person's clock begins at its midnight here. @param {string} day @param {number} [days] */
function startOf(day, days = 0) {
  if (!day) return undefined;
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + days);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

/** @param {Wanted} asked @param {string | undefined} of @param {number} reach */
async function readEntries(asked, of, reach) {
  /** @type {MemoryEntry[]} */
  const entries = [];
  let page;
  do {
    page = await get("/api/memory", {
      company: of,
      words: asked.words || undefined,
      kind: /** @type {Kind | undefined} */ (asked.kind || undefined),
      topic: asked.topic || undefined,
      person: asked.person || undefined,
      source: asked.source || undefined,
      trusted: asked.trusted ? asked.trusted === "yes" : undefined,
      since: startOf(asked.since),
      until: startOf(asked.until, 1),
      past: asked.past || undefined,
      offset: entries.length,
      limit: Math.min(MOST, reach - entries.length),
    });
    entries.push(...page.entries);
  } while (page.more && entries.length < reach);
  return { ...page, entries };
}

export default function Search() {
  const [asked, setAsked] = useState(wanted.peek());
  const [reach, setReach] = useState(PAGE);
  const key = JSON.stringify([asked, company.value]);
  const { data, problem, look, put } = useLookup(() => readEntries(asked, company.value, reach), { key, news: calmNews });
  const settled = useSettled(useMemo(takeTold, []));
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const shown = useRef(data);
  if (data || problem) shown.current = data; // While other words are looked for, the list must not jump.
  useKeptFocus(place, () => settled.line.current);
  useEffect(() => { if (settled.text) settled.focus(); }, []);
  useEffect(() => { if (reach > PAGE) look(); }, [reach]);
  useEffect(() => {
    if (wanted.value === asked) return undefined;
    const timer = setTimeout(() => {
      setAsked(wanted.peek());
      setReach(PAGE);
    }, BREATH);
    return () => clearTimeout(timer);
  }, [wanted.value]);

  const change = (/** @type {MemoryResult} */ result, /** @type {string} */ said, /** @type {MemoryEntry} */ before) => {
    settled.say(said);
    if (data && result.entry && result.state === "written") {
      const now = result.entry;
      put({ ...data, entries: data.entries.map((each) => each.id === before.id ? now : each) });
    }
  };

  const isFiltered = JSON.stringify(asked) !== JSON.stringify(NOTHING);
  const found = shown.current;
  const make = html`<a class="button primary" href="/memory/new">${t("console-memory-add")}</a>`;
  return html`
    <${Page} title=${t("console-memory")} tabs=${memoryTabs()} actions=${make}>
      <${Filters} company=${found?.company} companies=${found?.companies} />
      <${Settled} settled=${settled} />
      <div class="list" ref=${place}>
        <${List} items=${found?.entries ?? null} keyOf=${(/** @type {MemoryEntry} */ { id }) => id} problem=${problem}
                 none=${t(isFiltered ? "console-memory-found-none" : "console-memory-none")}
                 draw=${(/** @type {MemoryEntry} */ entry) => html`
                   <${EntryCard} entry=${entry} onChange=${(/** @type {MemoryResult} */ result, /** @type {string} */ said) => change(result, said, entry)} />`}
                 more=${found?.more} onMore=${() => setReach(reach + PAGE)} />
      </div>
    <//>`;
}

/** @param {{ company?: string, companies?: string[] }} props */
function Filters({ company: shown, companies }) {
  const now = wanted.value;
  const count = Object.entries(now).filter(([name, value]) => name !== "words" && value).length;
  const set = (/** @type {keyof Wanted} */ name) => (/** @type {any} */ { target }) => {
    wanted.value = { ...wanted.peek(), [name]: target.type === "checkbox" ? target.checked : target.value };
  };
  const choices = (/** @type {string} */ prefix, /** @type {string[]} */ values) =>
    [{ value: "", text: t("console-memory-any") }, ...values.map((value) => ({ value, text: t(`console-memory-${prefix}-${value}`) }))];
  return html`
    <search class="memory-filters">
      <div class="memory-words">
        <input type="search" aria-label=${t("console-memory-words")} placeholder=${t("console-memory-words")} value=${now.words} onInput=${set("words")} />
        <${CompanyChoice} shown=${shown} companies=${companies} />
      </div>
      <details open=${count > 0}>
        <summary>${t("console-memory-filters")}${count > 0 && html` <span class="badge">${count}</span>`}</summary>
        <div class="fields">
          <${Field} label=${t("console-memory-kind")} value=${now.kind} choices=${choices("kind", KINDS)} onChange=${set("kind")} />
          <${Field} label=${t("console-memory-trust")} value=${now.trusted} choices=${choices("trusted", ["yes", "no"])} onChange=${set("trusted")} />
          <${Field} label=${t("console-memory-topic")} value=${now.topic} onInput=${set("topic")} />
          <${Field} label=${t("console-memory-person")} value=${now.person} onInput=${set("person")} />
          <${Field} label=${t("console-memory-source")} value=${now.source} onInput=${set("source")} />
          <${Field} label=${t("console-memory-since")} type="date" value=${now.since} onInput=${set("since")} />
          <${Field} label=${t("console-memory-until")} type="date" value=${now.until} onInput=${set("until")} />
        </div>
        <p class="memory-more">
          <${Tick} label=${t("console-memory-past")} checked=${now.past} onChange=${set("past")} />
          ${count > 0 && html`<button type="button" class="link" onClick=${() => { wanted.value = { ...NOTHING, words: now.words }; }}>${t("console-memory-clear")}</button>`}
        </p>
      </details>
    </search>`;
}
