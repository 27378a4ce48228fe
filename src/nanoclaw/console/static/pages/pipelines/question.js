// What a run waits for: a person decides it here, as in the inbox.
import { get } from "../../call.js";
import { useLookup } from "../../lookup.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { QuestionCard } from "../inbox/card.js";
import { endOf } from "../inbox/wording.js";

/** @import { Question } from "api" */

/** @param {{ id: string, onSaid: (text: string) => void, onEnd: () => void }} props */
export function RunQuestion({ id, onSaid, onEnd }) {
  const { data, put } = useLookup(() => get("/api/questions/{question}", { question: id }), { key: id, news: news.questions });
  if (data?.status !== "pending") return null;
  const end = (/** @type {Question} */ question, /** @type {string} */ said) => {
    put(question);
    onSaid(endOf(question, said));
    onEnd();
  };
  return html`
    <section aria-label=${t("console-pipeline-waits")}>
      <${QuestionCard} question=${data} onChange=${put} onEnd=${end} />
    </section>`;
}
