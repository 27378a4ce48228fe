// One batch, live: how far it is, what it costs beside what was expected, its parts, and its texts page by page.
import { get, post } from "../../call.js";
import { isMeant } from "../../components/dialog.js";
import { Field, useAction } from "../../components/form.js";
import { List, Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Problem } from "../../components/problem.js";
import { Settled, useSettled } from "../../components/settled.js";
import { useLookup } from "../../lookup.js";
import { go, query, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useMemo, useState } from "../../vendor/index.js";
import { RunQuestion } from "../pipelines/question.js";
import { calmNews, choices, isAtRest, takeTold } from "./states.js";
import { Summary } from "./summary.js";
import { TextCard } from "./text.js";

/** @import { Batch as Many, BatchText } from "api" */

const PAGE = 50; // That the host gives at a time.

/** @param {string} batch @param {any} choice @param {number} wanted */
async function readTexts(batch, choice, wanted) {
  /** @type {BatchText[]} */
  const texts = [];
  let page;
  do {
    page = await get("/api/batches/{batch}/texts", { batch, choice, limit: PAGE, after: texts.at(-1)?.number ?? 0 });
    texts.push(...page.texts);
  } while (page.more && texts.length < wanted);
  return { texts, more: page.more, count: page.count };
}

/** @param {{ batch: string }} props */
export default function Batch({ batch: id }) {
  const choice = query.value.get("only") ?? "all";
  const [reach, setReach] = useState(PAGE);
  const { data: batch, problem, look, put } = useLookup(() => get("/api/batches/{batch}", { batch: id }), { key: id, news: calmNews });
  const texts = useLookup(() => readTexts(id, choice, reach), { key: `${id} ${choice}`, news: calmNews });
  const settled = useSettled(useMemo(takeTold, [id]));
  const action = useAction();
  useEffect(() => { if (settled.text) settled.focus(); }, []);
  useEffect(() => { if (reach > PAGE) texts.look(); }, [reach]);

  const after = (/** @type {Many} */ changed, /** @type {string} */ said) => {
    put(changed);
    settled.say(said);
    texts.look();
  };
  const cancel = () => isMeant({
    title: t("console-batch-cancel-title"),
    sentence: t("console-batch-cancel-sentence"),
    quote: batch?.subject ?? "",
    act: t("console-batch-cancel"),
    cancel: t("console-batch-cancel-not"),
    run: async () => after(await post("/api/batches/{batch}/cancel", { batch: id }), t("console-batch-told-cancelled")),
  });
  const takeBack = () => isMeant({
    title: t("console-batch-unschedule-title"),
    sentence: t("console-batch-unschedule-sentence"),
    quote: batch?.subject ?? "",
    act: t("console-batch-unschedule"),
    run: async () => after(await post("/api/batches/{batch}/unschedule", { batch: id }), t("console-batch-told-unscheduled")),
  });
  const again = (/** @type {number[] | null} */ items) => action.run(async () => {
    after(await post("/api/batches/{batch}/resubmit", { batch: id }, { items }), t("console-batch-told-again"));
  });
  const save = () => action.run(async () => after(await post("/api/batches/{batch}/save", { batch: id }), t("console-batch-told-saving")));
  const approvePassed = () => action.run(async () => {
    const { count } = await post("/api/batches/{batch}/approve-passed", { batch: id });
    settled.say(t("console-batch-told-approved", { count }));
    look();
    texts.look();
  });

  const { counts } = batch ?? {};
  const isWritten = Boolean(batch && isAtRest(batch.status) && counts?.succeeded);
  const actions = batch && html`
    ${!isAtRest(batch.status) && !batch.cancelled_by && html`<button key="cancel" type="button" class="button danger" onClick=${cancel}>${t("console-batch-cancel")}</button>`}
    ${Boolean(counts?.succeeded) && html`<a key="review" class="button primary" href=${to`/batches/${batch.id}/review`}>${t("console-batch-review")}</a>`}
    ${isWritten && html`<a key="schedule" class="button" href=${to`/batches/${batch.id}/schedule`}>${t("console-batch-schedule")}</a>`}
    ${isWritten && html`<button key="save" type="button" class="button" onClick=${save}>${t("console-batch-save")}</button>`}`;
  const failed = counts ? counts.errored + counts.expired : 0;
  return html`
    <${Page} title=${batch ? `${batch.items} × ${batch.subject}` : t("console-batches")} back="/batches" isBackBefore actions=${actions}>
      <${Settled} settled=${settled} />
      <${Problem} text=${action.problem} />
      ${!batch && html`<${Sentence} text=${problem || t("console-loading")} />`}
      ${batch && html`
        <${Summary} batch=${batch} />
        ${batch.question_id && html`<${RunQuestion} key=${batch.question_id} id=${batch.question_id} onSaid=${settled.say} onEnd=${look} />`}
        <div class="batch-tools">
          <${Field} label=${t("console-batch-only")} value=${choice} choices=${choices()}
                    onChange=${(/** @type {any} */ { target }) => {
                      setReach(PAGE);
                      go(target.value === "all" ? to`/batches/${id}` : `${to`/batches/${id}`}?only=${target.value}`, { replace: true });
                    }} />
          ${isWritten && html`<button type="button" class="button" onClick=${approvePassed}>${t("console-batch-approve-passed")}</button>`}
          ${batch.scheduled && batch.scheduled.count > 0 && html`<button type="button" class="button danger" onClick=${takeBack}>${t("console-batch-unschedule")}</button>`}
          ${failed > 0 && isAtRest(batch.status) && html`<button type="button" class="button" onClick=${() => again(null)}>${t("console-batch-again-all", { count: failed })}</button>`}
        </div>
        <p class="quiet" role="status">${texts.data ? t("console-batch-shown", { count: texts.data.count }) : ""}</p>
        <${List} items=${texts.data?.texts ?? null} keyOf=${(/** @type {BatchText} */ { number }) => number} problem=${texts.problem}
                 none=${t(choice === "all" ? "console-batch-texts-none" : "console-filter-none")} label=${t("console-batch-texts")}
                 draw=${(/** @type {BatchText} */ text) => html`<${TextCard} batch=${id} text=${text} onAgain=${() => again([text.number])} />`}
                 more=${texts.data?.more} onMore=${() => setReach(reach + PAGE)} />`}
    <//>`;
}
