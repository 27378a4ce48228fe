// What a page shows comes from the host: asked for when the page opens, and again at each piece of news.
import { oneByOne, useNews } from "./news.js";
import { useEffect, useRef, useState } from "./vendor/index.js";

/**
 * @template T
 * @typedef {{ data: T | null, problem: string, isLoading: boolean, look: () => Promise<void>, put: (data: T) => void }} Lookup
 */

/**
 * Asks `read` for the data of a page. What is on the screen stays there while it is asked again, and when that fails.
 * An answer to an earlier question (another id, a page that was left) is thrown away.
 * @template T
 * @param {() => Promise<T>} read
 * @param {{ key?: unknown, news?: import("./news.js").News | null }} [options] `key`: when it changes, it is another thing
 * @returns {Lookup<T>}
 */
export function useLookup(read, { key = "", news = null } = {}) {
  const [state, setState] = useState(/** @type {any} */ ({ key, data: null, problem: "", isLoading: true }));
  const reading = useRef(read);
  reading.current = read;
  const mine = useRef(/** @type {any} */ (null));
  if (mine.current?.key !== key) mine.current = { key, look: makeLook(key) };

  function makeLook(/** @type {unknown} */ asked) {
    const isStale = () => mine.current?.key !== asked;
    return oneByOne(async () => {
      try {
        const data = await reading.current();
        if (!isStale()) setState({ key: asked, data, problem: "", isLoading: false });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (!isStale()) setState((/** @type {any} */ was) => ({ ...was, data: was.key === asked ? was.data : null, key: asked, problem, isLoading: false }));
      }
    });
  }

  useEffect(() => { mine.current.look(); }, [key]);
  useNews(news, () => mine.current.look());
  useEffect(() => () => { mine.current = null; }, []);

  const isOld = state.key !== key;
  return {
    data: isOld ? null : state.data,
    problem: isOld ? "" : state.problem,
    isLoading: isOld || state.isLoading,
    look: mine.current.look,
    put: (data) => setState({ key, data, problem: "", isLoading: false }),
  };
}
