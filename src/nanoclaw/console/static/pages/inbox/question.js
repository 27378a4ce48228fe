// One question, by its own address: to be decided, or as it was decided.
import { get } from "../../call.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useSettled } from "../../components/settled.js";
import { useLookup } from "../../lookup.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { QuestionCard } from "./card.js";
import { Outcome, Record } from "./record.js";
import { endOf, headline } from "./wording.js";

/** @import { Question as Asked } from "api" */

/** @param {{ question: string }} props */
export default function Question({ question: id }) {
  const { data, problem, put } = useLookup(() => get("/api/questions/{question}", { question: id }), { key: id, news: news.questions });
  const settled = useSettled();
  const end = (/** @type {Asked} */ question, /** @type {string} */ said) => {
    put(question);
    settled.say(endOf(question, said));
    settled.focus();
  };
  return html`
    <${Page} title=${data ? headline(data) : t("console-inbox")} back=${data && data.status !== "pending" ? "/decisions" : "/inbox"}>
      <${Settled} settled=${settled} />
      ${!data && html`<${Sentence} text=${problem || t("console-loading")} />`}
      ${data?.status === "pending" && html`<${QuestionCard} question=${data} onChange=${put} onEnd=${end} />`}
      ${data && data.status !== "pending" && html`
        <div class="card decided">
          <${Outcome} question=${data} />
          <${Record} question=${data} />
        </div>`}
    <//>`;
}
