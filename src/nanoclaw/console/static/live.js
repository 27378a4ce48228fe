// The live stream of a room: opens it, and opens it again, more and more patiently, when it breaks.
import { authorized } from "./session.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const LONGEST_SILENCE = 40_000; // The server says something at least every 15 seconds.

/** @typedef {{ up: () => void, down: () => void } & Record<string, (data: any) => unknown>} Events */

/**
 * `path()` is asked again at each attempt, since it names the newest message the page has by then.
 * `on` has a function for each event, and `up` and `down`. Returns the function that ends it all.
 * @param {() => string} path
 * @param {Events} on
 */
export function follow(path, on) {
  /** @type {AbortController | undefined} */
  let current;
  let timer = 0;
  let failures = 0;
  const ended = new AbortController();

  async function open() {
    close();
    const mine = current = new AbortController();
    try {
      await listen(path(), mine, on, () => {
        failures = 0;
        on.up();
      });
    } catch {
      // Broken or never there: both are told below.
    }
    if (mine.signal.aborted && mine !== current) return; // It was let go of.
    on.down();
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures++);
    // A little chance, so that many pages do not come back to a restarted server all at once.
    timer = setTimeout(open, wait * (0.8 + Math.random() * 0.4));
  }

  function close() {
    clearTimeout(timer);
    const before = current;
    current = undefined;
    before?.abort();
  }

  // A browser allows six connections to one server, so pages nobody looks at give theirs back.
  const openIfSeen = () => document.hidden ? close() : open();
  document.addEventListener("visibilitychange", openIfSeen, { signal: ended.signal });
  addEventListener("online", openIfSeen, { signal: ended.signal });
  openIfSeen();

  return () => {
    ended.abort();
    close();
  };
}

/**
 * Until the stream ends. EventSource would do the same, but cannot send the token.
 * @param {string} path
 * @param {AbortController} control
 * @param {Events} on
 * @param {() => void} opened
 */
async function listen(path, control, on, opened) {
  let patience = 0;
  const stillThere = () => {
    clearTimeout(patience);
    patience = setTimeout(() => control.abort(), LONGEST_SILENCE);
  };
  try {
    stillThere();
    const response = await fetch(path, { headers: authorized(), signal: control.signal });
    if (!response.ok || !response.body) throw new Error(response.statusText);
    opened();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      stillThere();
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      if (control.signal.aborted) return;
      for (const block of blocks) {
        try {
          hear(block, on);
        } catch (error) {
          console.error(error); // A fault of the page: another connection would bring the same event again.
        }
      }
    }
  } finally {
    clearTimeout(patience);
  }
}

/**
 * One event: "event: NAME" and "data: JSON", one line each. A line that begins with a colon says only that it lives.
 * @param {string} block
 * @param {Events} on
 */
function hear(block, on) {
  const field = (/** @type {string} */ name) => block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const name = field("event");
  if (name) on[name]?.(JSON.parse(field("data") ?? "null"));
}
