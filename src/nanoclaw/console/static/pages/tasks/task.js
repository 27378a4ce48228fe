// One task, by its own address: as it stands, and all that ran of it, the newest first.
import { get } from "../../call.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useSettled } from "../../components/settled.js";
import { useLookup } from "../../lookup.js";
import { go, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useMemo, useState } from "../../vendor/index.js";
import { TaskCard } from "./card.js";
import { Runs } from "./runs.js";
import { calmNews, takeTold, told } from "./tabs.js";

/** @import { Run, Task as Scheduled } from "api" */

const PAGE = 50; // That the host gives at a time.

/** At least so many, and as far back as the one that is wanted. @param {string} task @param {number} wanted @param {string} [one] */
async function readRuns(task, wanted, one) {
  /** @type {Run[]} */
  const runs = [];
  let page;
  do {
    page = (await get("/api/tasks/{task}/runs", { task, limit: PAGE, before: runs.at(-1)?.id })).runs;
    runs.push(...page);
  } while (page.length === PAGE && (runs.length < wanted || (one && !runs.some(({ id }) => id === one))));
  return { runs, more: page.length === PAGE };
}

/** @param {{ task: string, run?: string }} props */
export default function Task({ task: id, run }) {
  const [reach, setReach] = useState(PAGE);
  const task = useLookup(() => get("/api/tasks/{task}", { task: id }), { key: id, news: calmNews });
  const runs = useLookup(() => readRuns(id, reach, run), { key: id, news: calmNews });
  const settled = useSettled(useMemo(takeTold, []));
  useEffect(() => { if (settled.text) settled.focus(); }, []);
  useEffect(() => { if (reach > PAGE) runs.look(); }, [reach]);

  const change = (/** @type {Scheduled} */ changed, /** @type {string} */ said) => {
    settled.say(said);
    task.put(changed);
  };
  const end = (/** @type {Scheduled} */ gone, /** @type {string} */ said) => {
    told.value = said;
    go(gone.kind === "background" ? "/tasks/background" : "/tasks", { replace: true });
  };
  const isMissing = run && runs.data && !runs.data.runs.some((each) => each.id === run);
  return html`
    <${Page} title=${t("console-task-page", { id })} back=${task.data?.kind === "background" ? "/tasks/background" : "/tasks"}>
      <${Settled} settled=${settled} />
      ${!task.data && html`<${Sentence} text=${task.problem || t("console-loading")} />`}
      ${task.data && html`
        <${TaskCard} task=${task.data} onChange=${change} onEnd=${end} />
        ${task.data.stored_text !== null && html`<blockquote class="prompt" dir="auto">${task.data.stored_text}</blockquote>`}
        ${task.data.batch_id && html`<p><a href=${`${to`/batches/${task.data.batch_id}`}?only=scheduled`}>${t("console-batches")}</a></p>`}
        ${task.data.stored_text === null && task.data.prompt !== task.data.title && html`<blockquote class="prompt" dir="auto">${task.data.prompt}</blockquote>`}
        <section aria-labelledby="runs-title">
          <h2 id="runs-title">${t("console-runs-title", { id })}</h2>
          <${Sentence} text=${runs.problem || (isMissing ? t("console-run-gone") : runs.data?.runs.length === 0 ? t("console-runs-none") : "")} />
          ${runs.data && html`<${Runs} runs=${runs.data.runs} open=${run ?? (runs.data.runs.length === 1 ? runs.data.runs[0].id : undefined)} />`}
          ${runs.data?.more && html`
            <button type="button" class="button more" onClick=${() => setReach(reach + PAGE)}>${t("console-connections-more")}</button>`}
        </section>`}
    <//>`;
}
