// A list that only grows, newest first: what is new comes on top, and earlier ones are fetched when they are wanted.
import { useAction } from "./components/form.js";
import { useLookup } from "./lookup.js";
import { useRef } from "./vendor/index.js";

/**
 * @template {{ id: string }} T
 * @typedef {{ items: T[], more: boolean }} Part
 */

/**
 * @template {{ id: string }} T
 * @param {(before?: string) => Promise<Part<T>>} read the newest ones, or those before one of them
 * @param {{ news?: import("./news.js").News | null }} [options]
 */
export function useNewest(read, { news = null } = {}) {
  const known = useRef(/** @type {Part<T> | null} */ (null));
  const lookup = useLookup(async () => {
    known.current = joined(await read(), known.current);
    return known.current;
  }, { news });
  const earlier = useAction();

  const showMore = () => earlier.run(async () => {
    const last = known.current?.items.at(-1);
    const part = await read(last?.id);
    if (!known.current || known.current.items.at(-1) !== last) return; // The list was looked up anew.
    known.current = { items: [...known.current.items, ...part.items], more: part.more };
    lookup.put(known.current);
  });

  return {
    items: lookup.data?.items ?? null,
    more: lookup.data?.more ?? false,
    problem: lookup.problem || earlier.problem,
    showMore,
  };
}

/**
 * What was shown before stays below what is new; if there is a gap between them, the list starts over.
 * @template {{ id: string }} T
 * @param {Part<T>} fresh
 * @param {Part<T> | null} before
 * @returns {Part<T>}
 */
function joined(fresh, before) {
  const ids = new Set(fresh.items.map(({ id }) => id));
  if (!before?.items.some(({ id }) => ids.has(id))) return fresh;
  return { items: [...fresh.items, ...before.items.filter(({ id }) => !ids.has(id))], more: before.more };
}
