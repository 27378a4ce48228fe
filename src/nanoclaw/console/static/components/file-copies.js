// The page's own copies of files, the ones used last. An element cannot send the token, so the page fetches the file and
// gives the element its copy. The type is the one that the page decided on: nothing that an agent made may run here.
import * as api from "../api.js";

const MOST_KEPT = 50;

/** @type {Map<string, { made: Promise<string>, forget: Set<() => void> }>} The one used last is last. */
const kept = new Map();

/**
 * The address of the copy; `onForget` is called when it is gone.
 * @param {string} url
 * @param {string} type
 * @param {() => void} onForget
 */
export function copyOfFile(url, type, onForget) {
  const copy = kept.get(url) ?? { made: fetchFile(url, type), forget: new Set() };
  copy.forget.add(onForget);
  kept.delete(url);
  kept.set(url, copy);
  if (kept.size > MOST_KEPT) forget(/** @type {string} */ (kept.keys().next().value));
  return copy.made;
}

/** @param {string} url */
function forget(url) {
  const copy = kept.get(url);
  kept.delete(url);
  copy?.made.then((local) => {
    URL.revokeObjectURL(local);
    for (const tell of copy.forget) tell();
  }, () => {});
}

/** @param {string} url @param {string} type */
async function fetchFile(url, type) {
  try {
    return URL.createObjectURL(new Blob([await api.readFile(url)], { type }));
  } catch (error) {
    kept.delete(url);
    throw error;
  }
}
