// What the host tells while the page is open, for components that show it: a number that rises with each piece of news.
import { effect, signal, useEffect, useRef } from "./vendor/index.js";

/** @typedef {import("./vendor/index.js").Signal<number>} News */

export const rooms = signal(0); // Something was said in a room: perhaps a card that asks for a decision, or shows one.
export const questions = signal(0); // A question is new, was voted on, is decided, or that is carried out; here or anywhere else.
export const tasks = signal(0); // A task was changed, or a run of it began or ended.
export const pipelines = signal(0); // A run of a pipeline is new, or one of its steps has another state.
export const batches = signal(0); // A batch is further than before, or somebody decided about one of its texts.
export const transfers = signal(0); // A session was taken elsewhere, or something came back from there.
export const handoffs = signal(0); // Something was handed over, or has another state.
export const budgets = signal(0); // What a company may spend was changed.
export const memory = signal(0); // What a company knows has changed, or is about to.

/** @param {News} news */
export const note = (news) => { news.value += 1; };

// The stream is up again: whatever happened meanwhile is news.
export const noteAll = () => [rooms, questions, tasks, pipelines, batches, transfers, handoffs, budgets, memory].forEach(note);

/**
 * Runs `look` again at each piece of news, for as long as the page is shown.
 * @param {News | null} news
 * @param {() => void} look
 */
export function useNews(news, look) {
  const newest = useRef(look);
  newest.current = look;
  useEffect(() => {
    const known = news?.value;
    return news?.subscribe((count) => { if (count !== known) newest.current(); });
  }, [news]);
}

const BREATH = 250; // Milliseconds

/** The same, but not for each: when a thousand tasks are due at once, each of them has news. @param {News} news */
export function calmed(news) {
  const calm = signal(0);
  let isWaiting = false;
  effect(() => {
    if (!news.value || isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      calm.value += 1;
    }, BREATH);
  });
  return calm;
}

/**
 * News that come in quick succession are looked up once more, afterwards.
 * @param {() => Promise<unknown>} look
 */
export function oneByOne(look) {
  let isLooking = false;
  let hasNews = false;
  return async () => {
    hasNews = true;
    if (isLooking) return;
    isLooking = true;
    while (hasNews) {
      hasNews = false;
      await look();
    }
    isLooking = false;
  };
}
