// The live stream of a room: opens it, and opens it again, more and more patiently, when it breaks.

const EVENTS = ["message", "preview", "typing", "tool", "spent", "room", "question", "task"];
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

// `path()` is asked again at each attempt, since it names the newest message the page has by then.
// `on` has a function for each of EVENTS, and `up` and `down`. Returns the function that ends it all.
export function follow(path, on) {
  let source, timer, failures = 0;
  const ended = new AbortController();

  function open() {
    close();
    source = new EventSource(path());
    source.onopen = () => {
      failures = 0;
      on.up();
    };
    source.onerror = () => {
      close();
      on.down();
      const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures++);
      // A little chance, so that many pages do not come back to a restarted server all at once.
      timer = setTimeout(open, wait * (0.8 + Math.random() * 0.4));
    };
    for (const name of EVENTS) source.addEventListener(name, (event) => on[name](JSON.parse(event.data)));
  }

  function close() {
    clearTimeout(timer);
    source?.close();
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
