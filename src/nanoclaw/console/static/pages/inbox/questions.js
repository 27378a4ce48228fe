// The questions that are open, the first asked first; they come and go while one looks.
import { get } from "../../call.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useKeptFocus, useSettled } from "../../components/settled.js";
import * as counts from "../../counts.js";
import { useLookup } from "../../lookup.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { CONTROL, QuestionCard } from "./card.js";
import { inboxTabs } from "./tabs.js";
import { endOf } from "./wording.js";

/** @import { Question } from "api" */

const PAGE = 100;
const MOST = 500; // That the host gives at a time.
const STILL = 800; // Milliseconds in which a second click of the same hand comes.

/** The first ones, as many as are wanted if there are so many. @param {number} wanted */
async function readOpen(wanted) {
  /** @type {Question[]} */
  const open = [];
  let page;
  do {
    page = await get("/api/questions", { limit: Math.min(wanted - open.length, MOST), after: open.at(-1)?.id });
    open.push(...page.questions);
  } while (page.more && open.length < wanted);
  counts.questions.value = page.total;
  return { open, more: page.more };
}

export default function Questions() {
  const [reach, setReach] = useState(PAGE);
  const { data, problem, look, put } = useLookup(() => readOpen(reach), { news: news.questions });
  const settled = useSettled();
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const drafts = useRef(/** @type {Map<string, string>} */ (new Map())).current; // What is being written, by question.
  const [busy, setBusy] = useState(/** @type {Question[]} */ ([]));
  const [ended, setEnded] = useState(/** @type {string[]} */ ([])); // Here, perhaps before the news of it came.

  // What is being decided here stays until its own answer has come: that says what came of it, and where to go on.
  const open = data && [...data.open, ...busy.filter(({ id }) => !data.open.some((each) => each.id === id))]
    .filter(({ id }) => !ended.includes(id))
    .sort((one, other) => one.id < other.id ? -1 : 1);
  const { isHeld, gone } = useHeld(open);
  useKeptFocus(place, () => settled.line.current);

  useEffect(() => {
    const elsewhere = gone.filter((id) => !ended.includes(id));
    if (elsewhere.length) tellOf(elsewhere, drafts).then((told) => { if (told) settled.say(told); });
  }, [gone.join()]);

  const counted = useRef(0); // How many were shown when more were wanted.
  useEffect(() => {
    if (reach === PAGE) return;
    // The button has moved down, out of sight; reading continues with what has come.
    look().then(() => requestAnimationFrame(() => {
      /** @type {HTMLElement | null | undefined} */ (place.current?.querySelectorAll(".question")[counted.current]?.querySelector(CONTROL))?.focus();
    }));
  }, [reach]);

  const change = (/** @type {Question} */ question) => {
    if (data) put({ ...data, open: data.open.map((each) => each.id === question.id ? question : each) });
  };
  const end = (/** @type {Question} */ question, /** @type {string} */ said, /** @type {Element} */ card) => {
    settled.say(endOf(question, said));
    settled.leave(card, CONTROL);
    drafts.delete(question.id);
    setEnded([...ended, question.id]);
  };

  return html`
    <${Page} title=${t("console-inbox")} tabs=${inboxTabs()}>
      <${Settled} settled=${settled} />
      <div class="list" ref=${place}>
        <${List} items=${open} keyOf=${(/** @type {Question} */ { id }) => id} problem=${problem} none=${t("console-questions-none")}
                 draw=${(/** @type {Question} */ question) => html`
                   <${QuestionCard} question=${question} isHeld=${isHeld} words=${drafts.get(question.id)}
                                    onWords=${(/** @type {string} */ text) => drafts.set(question.id, text)}
                                    onBusy=${(/** @type {boolean} */ isBusy) => setBusy((was) => isBusy ? [...was, question] : was.filter(({ id }) => id !== question.id))}
                                    onChange=${change} onEnd=${end} />`}
                 more=${data?.more} moreText=${t("console-questions-more")} onMore=${() => {
                   counted.current = open?.length ?? 0;
                   setReach(counted.current + PAGE);
                 }} />
      </div>
    <//>`;
}

/**
 * When a question goes, the next one comes under the pointer: for a moment clicks decide nothing. It is worked out
 * while drawing, so that no button is there for even a moment that could be clicked.
 * @param {Question[] | null} open
 */
function useHeld(open) {
  const known = useRef(/** @type {string[]} */ ([]));
  const gone = useRef(/** @type {string[]} */ ([]));
  const until = useRef(0);
  const [, drawAgain] = useState(0);
  if (open) {
    const ids = open.map(({ id }) => id);
    const left = known.current.filter((id) => !ids.includes(id));
    if (left.length) {
      gone.current = left;
      until.current = Date.now() + STILL;
    }
    known.current = ids;
  }
  useEffect(() => {
    if (!until.current) return undefined;
    const timer = setTimeout(() => {
      until.current = 0;
      drawAgain((count) => count + 1);
    }, until.current - Date.now());
    return () => clearTimeout(timer);
  }, [until.current]);
  return { isHeld: until.current > 0, gone: gone.current };
}

/**
 * Someone decided elsewhere what is on the screen; what was being written here is not lost without a word.
 * @param {string[]} ids
 * @param {Map<string, string>} drafts
 */
async function tellOf(ids, drafts) {
  const unsent = ids.map((id) => drafts.get(id)?.trim()).filter(Boolean);
  for (const id of ids) drafts.delete(id);
  const ended = await Promise.all(ids.map((question) => get("/api/questions/{question}", { question }).catch(() => null)));
  const told = ended.filter((question) => question !== null).map((question) => endOf(question));
  return [...told, ...unsent.map((text) => t("console-question-unsent", { text: text ?? "" }))].join("\n");
}
