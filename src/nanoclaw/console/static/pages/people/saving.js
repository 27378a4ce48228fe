// Changes of a card that are sent as they are made, and told when they are refused.
import { useRef, useState } from "../../vendor/index.js";

// One after the other, so that each answer holds all that was changed before it.
let before = Promise.resolve();

/**
 * `take` gets the answer to the last change; an earlier one would take back what the person has just chosen. Problems
 * are told by `place`, the card or a part of it, and stay until a later change of the card succeeds.
 * @template T
 * @param {(answer: T) => void} take
 */
export function useSaving(take) {
  const [problems, setProblems] = useState(/** @type {Record<string, string>} */ ({}));
  const [isBusy, setBusy] = useState(false);
  const count = useRef(0);
  const told = useRef(problems);
  told.current = problems;
  const tell = (/** @type {string} */ place, /** @type {string} */ problem) => setProblems((was) => ({ ...was, [place]: problem }));

  /** True when it was stored. @param {string} place @param {() => Promise<T>} send @returns {Promise<boolean>} */
  async function save(place, send) {
    const mine = ++count.current;
    const settled = { ...told.current, [place]: "" };
    setBusy(true);
    tell(place, "");
    const sent = before.then(send);
    before = sent.then(() => {}, () => {});
    try {
      const answer = await sent;
      // What was wrong before this change is mended, or given up; what came meanwhile stays.
      setProblems((was) => Object.fromEntries(Object.entries(was).filter(([name, text]) => text !== settled[name])));
      if (mine === count.current) take(answer);
      return true;
    } catch (error) {
      tell(place, error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      if (mine === count.current) setBusy(false);
    }
  }

  return { save, tell, isBusy, problemOf: (/** @type {string} */ place) => problems[place] ?? "" };
}
