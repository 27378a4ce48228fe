// Keeps the newest message in sight while it grows, unless the person has scrolled up to read.
import { signal } from "../../vendor/index.js";

const NEAR_END = 40;

/** @typedef {ReturnType<typeof makeScroll>} Scroll */

export function makeScroll() {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const isStuck = signal(true);
  const hasNews = signal(false);
  /** @type {HTMLElement | null} */
  let scroller = null;
  /** @type {{ row: HTMLElement, top: number } | null} */
  let read = null;
  let lastTop = 0, lastHeight = 0, frame = 0, mustJump = true;

  const gap = () => scroller ? scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop : 0;

  function stick(value = true) {
    isStuck.value = value;
    if (value) hasNews.value = false;
  }

  // Browsers restart their own smooth scrolling at each new line; a step per frame flows better.
  function glide() {
    frame = 0;
    const rest = gap();
    if (!scroller || !isStuck.peek() || rest < 1) return;
    scroller.scrollTop += calm.matches ? rest : Math.max(1, rest / 5);
    frame = requestAnimationFrame(glide);
  }

  /** @param {HTMLElement} element @param {HTMLElement} content */
  function attach(element, content) {
    scroller = element;
    // A person who comes back from another page continues reading where they were.
    if (isStuck.peek()) mustJump = true;
    else element.scrollTop = lastTop;
    settle();
    // Where another conversation was is nothing to compare with: it would look as if the person had scrolled up.
    [lastTop, lastHeight] = [element.scrollTop, element.scrollHeight];
    const observer = new ResizeObserver(() => {
      lastHeight = element.scrollHeight;
      // A card that was decided on is shorter: the end may have come into sight of someone who had scrolled up.
      if (element.clientHeight > 0 && gap() < 1) stick();
      frame ||= requestAnimationFrame(glide);
    });
    observer.observe(element);
    observer.observe(content);
    element.addEventListener("scroll", () => {
      const wentUp = element.scrollTop < lastTop - 1;
      // Content that shrank also moves the scroll up, a little; it leaves it at the end, unless it has grown again since.
      const hasChanged = element.scrollHeight !== lastHeight && lastTop - element.scrollTop < element.clientHeight / 2;
      lastTop = element.scrollTop;
      lastHeight = element.scrollHeight;
      if (wentUp && gap() > 4 && !hasChanged) stick(false);
      else if (!wentUp && gap() < NEAR_END) stick();
    }, { passive: true });
    element.addEventListener("wheel", (event) => {
      if (event.deltaY < 0 && element.scrollTop > 0) stick(false);
    }, { passive: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      frame = 0;
      scroller = null;
      read = null;
    };
  }

  // After the rows were drawn, and before anyone sees them.
  function settle() {
    if (!scroller || !mustJump) return;
    mustJump = false;
    scroller.scrollTop = scroller.scrollHeight;
  }

  function moveBack() {
    const moved = read?.row.isConnected ? read.row.offsetTop - read.top : 0;
    if (scroller && (moved > 0 || !isStuck.peek())) scroller.scrollTop += moved;
    read = null;
  }

  return {
    attach,
    settle,
    stick,
    isStuck,
    hasNews,
    jump() {
      stick();
      mustJump = true;
    },
    toEnd() {
      stick();
      glide();
    },
    noteNew() {
      if (!isStuck.peek()) hasNews.value = true;
    },
    // Before a change that must not move what the person reads, be it above or below. Who is at the end is only taken along.
    hold() {
      if (!scroller) return;
      const { scrollTop } = scroller;
      const rows = /** @type {NodeListOf<HTMLElement>} */ (scroller.querySelectorAll(".row"));
      const row = [...rows].find((each) => each.offsetTop + each.offsetHeight > scrollTop);
      if (!read) requestAnimationFrame(moveBack); // The change is drawn by then, and not yet seen.
      read = row ? { row, top: row.offsetTop } : null;
    },
  };
}
