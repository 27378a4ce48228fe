// An open question with all that helps to decide it, and the buttons that do.
import { post } from "../../call.js";
import { useNow } from "../../clock.js";
import { Card } from "../../components/card.js";
import { isMeant } from "../../components/dialog.js";
import { Field, useAction } from "../../components/form.js";
import { Icon } from "../../components/icon.js";
import { Markup } from "../../components/markup.js";
import { Time } from "../../components/time.js";
import { to } from "../../router.js";
import { span, t } from "../../texts.js";
import { html, useRef, useState } from "../../vendor/index.js";
import { Document, Folded } from "./parts.js";
import { headline, kindName } from "./wording.js";

/** @import { Option, Question } from "api" */

const SOON = 120_000;

/** Where deciding begins in a card; nothing where someone else decides. */
export const CONTROL = ".words textarea, .session-open, .option button";

/**
 * `onEnd` is told when it is decided or taken back, with a sentence and the card; `onChange` when others have to agree.
 * While `isHeld`, a click decides nothing.
 * @param {{ question: Question, isHeld?: boolean, words?: string, onWords?: (text: string) => void,
 *   onBusy?: (isBusy: boolean) => void, onChange: (question: Question) => void,
 *   onEnd: (question: Question, said: string, card: Element) => void }} props
 */
export function QuestionCard({ question, isHeld = false, words: first = "", onWords, onBusy, onChange, onEnd }) {
  const { id, kind, risk, asker, skill, group, options, may_decide: isMine } = question;
  const isSession = kind === "interactive_session"; // Words would only be noted; who wants to look into it goes there.
  const takesWords = question.takes_words && !isSession;
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const { isBusy, problem, setProblem, run } = useAction();
  const [said, setSaid] = useState("");
  const [words, setWords] = useState(first);
  const field = () => card.current?.querySelector("textarea");

  async function change(/** @type {() => Promise<void>} */ act) {
    onBusy?.(true);
    await run(act);
    onBusy?.(false);
  }

  function decide(/** @type {string | null} */ option) {
    const text = takesWords ? words.trim() || null : null;
    if (option === null && text === null) {
      setProblem(t("console-question-wordless"));
      return field()?.focus();
    }
    return change(async () => {
      const answer = await post("/api/questions/{question}/decide", { question: id }, { option, text });
      if (answer.question.status !== "pending") return end(answer.question, answer.said);
      onChange(answer.question);
      return setSaid(answer.said); // Others have to agree.
    });
  }

  async function takeBack() {
    const isGone = await isMeant({
      title: t("console-take-back-title"),
      sentence: t("console-take-back-sentence"),
      quote: question.question,
      act: t("console-take-back"),
      cancel: t("console-take-back-not"),
    });
    if (!isGone) return;
    change(async () => end(await post("/api/questions/{question}/cancel", { question: id }), t("console-ended-cancelled")));
  }

  function end(/** @type {Question} */ ended, /** @type {string} */ sentence) {
    if (card.current) onEnd(ended, sentence, card.current);
  }

  const wordsLabel = t(options.length ? "console-question-comment" : "console-question-words");
  return html`
    <${Card} label=${headline(question)} class="question" data-risk=${risk} isBusy=${isBusy} problem=${problem} ref=${card}>
      <p class="question-head">
        <b>${kindName(kind)}</b>
        ${risk !== "normal" && html`<span class="mark risk">${t(`console-risk-${risk}`)}</span>`}
        <span class="quiet">
          <bdi>${[skill || asker, group].filter(Boolean).join(" · ")}</bdi> · <${Time} at=${question.created_at} /> · <a href=${to`/inbox/${id}`}><code>${question.short}</code></a>
        </span>
      </p>
      <div class="bubble question-text" dir="auto"><${Markup} source=${question.html} text=${question.question} /></div>
      <${Folded} class="question-tool" label=${t("console-question-tool")} text=${question.tool} isOpen />
      <${Folded} class="question-context" label=${t("console-question-context")} text=${question.context} isOpen=${kind === "approval"} />
      <${Document} question=${question} />
      <${Votes} question=${question} />
      ${!isMine && html`<p class="quiet">${t("console-question-not-yours")}</p>`}
      ${isSession && html`<a class="button session-open" href=${to`/sessions/${id}`}><${Icon} name="terminal" /> ${t("console-session-enter")}</a>`}
      ${isMine && takesWords && html`
        <form class="words" novalidate onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault();
          decide(null);
        }}>
          <${Field} label=${wordsLabel} rows="2" maxlength="20000" value=${words}
                    onInput=${(/** @type {any} */ { target }) => {
                      setWords(target.value);
                      onWords?.(target.value);
                    }} />
          <button type="submit" class="button">${t("console-question-answer")}</button>
        </form>`}
      ${isMine && html`<${Options} question=${question} isHeld=${isHeld} onChoice=${decide} />`}
      <p class="done" role="status">${said}</p>
      <div class="question-foot">
        <${Deadline} at=${question.deadline_at} text=${question.default_label} />
        ${isMine && html`<button type="button" class="link" onClick=${takeBack}>${t("console-take-back")}</button>`}
      </div>
    <//>`;
}

/** @param {{ question: Question, isHeld: boolean, onChoice: (option: string) => void }} props */
const Options = ({ question: { id, options, risk }, isHeld, onChoice }) => html`
  <div class=${`options ${options.some(({ description }) => description) ? "described" : ""}`} role="group" aria-label=${t("console-question-options")}>
    ${options.map((/** @type {Option} */ { id: option, label, description, safe }, /** @type {number} */ index) => html`
      <div class="option" key=${option}>
        <button type="button" class=${`button ${risk === "destructive" && !safe ? "danger" : ""}`}
                aria-disabled=${isHeld ? "true" : null} aria-describedby=${description ? `about-${id}-${index}` : null}
                onClick=${(/** @type {any} */ { detail, currentTarget }) => {
                  // A double click must not decide the next one too. Keys are not affected.
                  if (!(detail && currentTarget.ariaDisabled === "true")) onChoice(option);
                }}>${label}</button>
        ${description && html`<p class="quiet" dir="auto" id=${`about-${id}-${index}`}>${description}</p>`}
      </div>`)}
  </div>`;

/** @param {{ question: Question }} props */
function Votes({ question: { votes_needed: needed, votes, options } }) {
  if (needed < 2) return null;
  const labels = new Map(options.map(({ id, label }) => [id, label]));
  const given = votes.map(({ name, option }) => `${name}: ${labels.get(option) ?? option}`).join(", ");
  return html`<p class="votes quiet">${t("console-question-votes", { needed, given: given || t("console-question-votes-none") })}</p>`;
}

/** @param {{ at: string, text: string }} props */
function Deadline({ at, text }) {
  const left = Date.parse(at) - useNow();
  const key = text ? "console-question-deadline" : "console-question-deadline-nothing";
  const said = left > 0 ? t(key, { left: span(left), text }) : t("console-question-deadline-now");
  return html`<${Time} class=${`deadline quiet ${left < SOON ? "soon" : ""}`} at=${at} text=${said} />`;
}
