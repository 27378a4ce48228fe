// The address of the page: every page has one, so Back, reload and links work. The links are plain <a href>.
import { computed, signal } from "./vendor/index.js";

const here = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

const address = signal(here());
export const path = computed(() => address.value.path);
export const query = computed(() => address.value.query);

// How often the person went somewhere: the first page of a visit leaves the focus where the browser puts it.
export const visits = signal(0);

let isReturn = false; // The person came here by Back or Forward.
export const cameBack = () => isReturn;

/** @param {string} to @param {{ replace?: boolean }} [options] */
export function go(to, { replace = false } = {}) {
  const isHere = to === location.pathname + location.search;
  if (!isHere) history[replace ? "replaceState" : "pushState"]({ isOurs: true }, "", to);
  arrive(false);
}

// To the page before, if it was one of ours; else to where such pages are listed.
/** @param {string} instead */
export function goBack(instead) {
  if (history.state?.isOurs) history.back();
  else go(instead, { replace: true });
}

/** @param {boolean} isBack */
function arrive(isBack) {
  isReturn = isBack;
  visits.value += 1;
  address.value = here();
}

addEventListener("popstate", () => arrive(true));

// A click on a link of ours changes the page without reloading it. With a key held down, or another button, the
// person wants a new tab or window, which the browser gives; files are below /api/ and have a way of their own.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.origin !== location.origin || link.target || link.download || /^\/(api|static)\//.test(link.pathname)) return;
  if (link.hash && link.pathname === location.pathname) return;
  event.preventDefault();
  go(link.pathname + link.search);
});

/**
 * The parts of an address that a pattern such as "/tasks/:task/runs/:run" names; null when it is another one.
 * @param {string} pattern
 * @param {string} path
 * @returns {Record<string, string> | null}
 */
export function match(pattern, path) {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return null;
  /** @type {Record<string, string>} */
  const parts = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith(":") && given[index]) parts[part.slice(1)] = decoded(given[index]);
    else if (part !== given[index]) return null;
  }
  return parts;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray percent sign: nothing has such an id, and the page will say so.
  }
}

/**
 * An address with ids in it: to`/tasks/${7}`.
 * @param {TemplateStringsArray} strings
 * @param {(string | number)[]} ids
 */
export const to = (strings, ...ids) => String.raw({ raw: strings }, ...ids.map(encodeURIComponent));
