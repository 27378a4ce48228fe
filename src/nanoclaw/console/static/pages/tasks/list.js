// The tasks that are scheduled, or those in the background.
import { get } from "../../call.js";
import { Tick } from "../../components/form.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useKeptFocus, useSettled } from "../../components/settled.js";
import { fits } from "../../filter.js";
import { useLookup } from "../../lookup.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/index.js";
import { CONTROL, TaskCard } from "./card.js";
import { calmNews, takeTold, taskTabs } from "./tabs.js";

/** @import { Task, WaitingTexts } from "api" */

const PAGE = 200; // That the host gives at a time.
const FEW = 5; // So many are found without searching.

/** @param {boolean} over @param {number} wanted */
async function readTasks(over, wanted) {
  /** @type {Task[]} */
  const found = [];
  /** @type {WaitingTexts[]} */
  const texts = [];
  let page;
  do {
    const given = await get("/api/tasks", { over, before: found.at(-1)?.id });
    page = given.tasks;
    found.push(...page);
    texts.push(...given.texts);
  } while (page.length === PAGE && found.length < wanted);
  return { found, texts, more: page.length === PAGE };
}

/** What runs, then what comes next; what is paused or over stands last. @param {Task} one @param {Task} other */
function inOrder(one, other) {
  const rank = (/** @type {Task} */ { running, status, next_run_at: next }) =>
    [running ? 0 : 1, status === "active" ? 0 : status === "paused" ? 1 : 2, next ?? "~"].join();
  return rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : other.id - one.id;
}

/** @param {"scheduled" | "background"} kind */
export const makeTaskList = (kind) => () => {
  const isBackground = kind === "background";
  const [over, setOver] = useState(isBackground);
  const [words, setWords] = useState("");
  const [reach, setReach] = useState(PAGE);
  const { data, problem, look, put } = useLookup(() => readTasks(over, reach), { key: over, news: calmNews });
  const settled = useSettled(useMemo(takeTold, []));
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useKeptFocus(place, () => settled.line.current);
  useEffect(() => { if (settled.text) settled.focus(); }, []);
  useEffect(() => { if (reach > PAGE) look(); }, [reach]);

  const tasks = data && data.found.filter((task) => task.kind === kind).sort(inOrder);
  const shown = tasks && tasks.filter((task) => fits(words, [task.id, task.prompt, task.group, task.chat_title, task.skill]));

  const change = (/** @type {Task} */ task, /** @type {string} */ said) => {
    settled.say(said);
    if (data) put({ ...data, found: data.found.map((each) => each.id === task.id ? task : each) });
    look(); // What was asked for before may be older than this answer.
  };
  const end = (/** @type {Task} */ task, /** @type {string} */ said, /** @type {Element} */ card) => {
    settled.say(said);
    settled.leave(card, CONTROL);
    if (data) put({ ...data, found: data.found.filter((each) => each.id !== task.id) });
    look();
  };

  const make = html`
    <a class="button primary" href=${isBackground ? "/tasks/hand-over" : "/tasks/new"}>${t(isBackground ? "console-task-hand-over" : "console-task-new")}</a>`;
  return html`
    <${Page} title=${t("console-tasks")} tabs=${taskTabs()} actions=${make}>
      <div class="task-tools">
        ${(words || (tasks && tasks.length >= FEW)) && html`
          <input type="search" aria-label=${t("console-tasks-filter")} placeholder=${t("console-tasks-filter")} value=${words}
                 onInput=${(/** @type {any} */ { target }) => setWords(target.value)} />`}
        <${Tick} label=${t("console-tasks-over")} checked=${over} onChange=${(/** @type {any} */ { target }) => setOver(target.checked)} />
      </div>
      <${Settled} settled=${settled} />
      ${!isBackground && data && data.texts.length > 0 && html`
        <ul class="links texts-waiting" aria-label=${t("console-batch-scheduled")}>
          ${data.texts.map((each) => html`<li key=${each.batch_id}><a href=${`${to`/batches/${each.batch_id}`}?only=scheduled`}><span>${each.line}</span></a></li>`)}
        </ul>`}
      <div class="list" ref=${place}>
        <${List} items=${shown} keyOf=${(/** @type {Task} */ { id }) => id} problem=${problem}
                 none=${words ? t("console-filter-none") : isBackground ? t("console-tasks-background-none") : data?.texts.length ? "" : t("console-tasks-none")}
                 draw=${(/** @type {Task} */ task) => html`<${TaskCard} task=${task} onChange=${change} onEnd=${end} />`}
                 more=${data?.more} moreText=${t("console-questions-more")} onMore=${() => setReach(reach + PAGE)} />
      </div>
    <//>`;
};
