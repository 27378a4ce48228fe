// The story of an entry: who said it and where, what it replaced and what replaced it, which prompts it was in.
import { get } from "../../call.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useSettled } from "../../components/settled.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { exactTime, zoned } from "../../moments.js";
import { go, to } from "../../router.js";
import { place, t } from "../../texts.js";
import { html, useEffect, useMemo } from "../../vendor/index.js";
import { EntryCard, Marks } from "./card.js";
import { calmNews, takeTold } from "./tabs.js";

/** @import { MemoryChange, MemoryEntry, MemoryResult, MemoryStory, MemoryUse } from "api" */

/** @param {{ entry: string }} props */
export default function Entry({ entry: id }) {
  const { data, problem, look } = useLookup(() => get("/api/memory/entries/{entry}", { entry: id }), { key: id, news: calmNews });
  const settled = useSettled(useMemo(takeTold, []));
  useEffect(() => { if (settled.text) settled.focus(); }, []);

  const change = (/** @type {MemoryResult} */ result, /** @type {string} */ said) => {
    settled.say(said);
    if (result.entry && result.id !== id) go(to`/memory/${result.id}`);
    else look();
  };
  return html`
    <${Page} title=${t("console-memory-entry")} back="/memory" isBackBefore>
      <${Settled} settled=${settled} />
      <${Sentence} text=${problem || (data ? "" : t("console-loading"))} />
      ${data && html`
        <${EntryCard} key=${data.entry.id} entry=${data.entry} onChange=${change} isWhole />
        <${Facts} story=${data} />
        <${Others} title=${t("console-memory-replaced-by")} entries=${data.replaced_by} />
        <${Others} title=${t("console-memory-replaced")} entries=${data.replaced} />
        <${Changes} changes=${data.changes} />
        <${Uses} story=${data} />
        ${data.line && html`
          <section>
            <h2>${t("console-memory-line")}</h2>
            <pre class="raw" dir="ltr" tabindex="0" role="region" aria-label=${t("console-memory-line")}>${pretty(data.line)}</pre>
          </section>`}`}
    <//>`;
}

/** @param {{ story: MemoryStory }} props */
function Facts({ story: { entry, message } }) {
  /** @type {[string, unknown][]} */
  const facts = [
    ["id", html`<code>${entry.id}</code>`],
    ["company", entry.company],
    ["who", entry.person && html`<bdi>${entry.name}</bdi> <span class="handle">${entry.name === entry.person ? "" : entry.person}</span>`],
    ["trust", t(`console-memory-trust-${entry.trust}`)],
    ["when", html`<${Time} at=${entry.at} text=${zoned(entry.at)} />`],
    ["domain", entry.domain],
    ["topic", entry.topic],
    ["related", entry.related.join(", ")],
    ["source", place(entry.source)],
    ["confidence", entry.confidence < 1 ? String(entry.confidence) : ""],
    ["expires", entry.expires && html`<${Time} at=${entry.expires} text=${zoned(entry.expires)} />`],
    ["file", html`<code>${entry.file}</code>`],
  ];
  return html`
    <section>
      ${message && html`
        <h2>${t("console-memory-message")}</h2>
        <blockquote class="asked" dir="auto">${message.text}</blockquote>
        <p class="quiet">
          <bdi>${message.sender}</bdi> · ${message.room ? html`<a href=${to`/chats/${message.room}`}>${message.chat}</a>` : html`<bdi>${message.chat}</bdi>`}
          ${" · "}<${Time} at=${message.at} text=${exactTime(message.at)} /> · <a href=${to`/why/${message.id}`}>${t("console-why")}</a>
        </p>`}
      <dl class="facts">
        ${facts.filter(([, value]) => value).map(([name, value]) => html`<dt key=${name}>${t(`console-memory-of-${name}`)}</dt><dd dir="auto">${value}</dd>`)}
      </dl>
    </section>`;
}

/** @param {{ title: string, entries: MemoryEntry[] }} props */
const Others = ({ title, entries }) => entries.length > 0 && html`
  <section>
    <h2>${title}</h2>
    <ul class="cards">
      ${entries.map((entry) => html`
        <li key=${entry.id} class="card memory-entry" data-state=${entry.state}>
          <p class="memory-text"><a href=${to`/memory/${entry.id}`} dir="auto">${entry.text}</a></p>
          <p class="quiet memory-about"><${Marks} entry=${entry} /> <bdi>${entry.name}</bdi> <${Time} at=${entry.at} /></p>
        </li>`)}
    </ul>
  </section>`;

/** @param {{ changes: MemoryChange[] }} props */
const Changes = ({ changes }) => changes.length > 0 && html`
  <section>
    <h2>${t("console-memory-changes")}</h2>
    <ul class="memory-changes">
      ${changes.map((change) => html`
        <li key=${change.id}>
          <${Time} at=${change.at} text=${exactTime(change.at)} /> ${t(`console-memory-act-${change.action}`)}
          ${change.name && html` <bdi class="quiet">${change.name}</bdi>`}
          ${change.state !== "written" && html` <span class="mark">${t(`console-memory-change-${change.state}`)}</span>`}
          ${change.reason && html` <span class="quiet">${change.reason}</span>`}
        </li>`)}
    </ul>
  </section>`;

/** @param {{ story: MemoryStory }} props */
const Uses = ({ story: { uses, times_used: times } }) => html`
  <section>
    <h2>${t("console-memory-uses")}${times > uses.length && html` <span class="badge">${times}</span>`}</h2>
    ${uses.length === 0 && html`<p class="quiet">${t("console-memory-uses-none")}</p>`}
    <ul class="memory-changes">
      ${uses.map((/** @type {MemoryUse} */ use) => html`
        <li key=${use.turn_id}>
          <${Time} at=${use.at} text=${exactTime(use.at)} /> <bdi class="quiet">${use.chat}</bdi>${" "}
          ${use.message_id ? html`<a href=${to`/why/${use.message_id}`} dir="auto">${use.text || use.message_id}</a>` : html`<code>${use.turn_id}</code>`}
        </li>`)}
    </ul>
  </section>`;

/** @param {string} line */
function pretty(line) {
  try {
    return JSON.stringify(JSON.parse(line), null, 2);
  } catch {
    return line;
  }
}
