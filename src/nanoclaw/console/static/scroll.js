// Keeps the newest message in sight while it grows, unless the person has scrolled up to read.

const NEAR_END = 40;

// `toEnd` is the button that brings the person back down.
export function keepAtEnd(scroller, content, toEnd) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let isStuck = true, lastTop = 0, frame = 0;

  const gap = () => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;

  function stick(value = true) {
    isStuck = value;
    toEnd.hidden = isStuck;
    if (isStuck) toEnd.classList.remove("fresh");
  }

  // Browsers restart their own smooth scrolling at each new line; a step per frame flows better.
  function glide() {
    frame = 0;
    const rest = gap();
    if (!isStuck || rest < 1) return;
    scroller.scrollTop += calm.matches ? rest : Math.max(1, rest / 5);
    frame = requestAnimationFrame(glide);
  }

  const observer = new ResizeObserver(() => { frame ||= requestAnimationFrame(glide); });
  observer.observe(scroller);
  observer.observe(content);

  scroller.addEventListener("scroll", () => {
    const wentUp = scroller.scrollTop < lastTop - 1;
    lastTop = scroller.scrollTop;
    // Content that shrank also moves the scroll up, but leaves it at the end.
    if (wentUp && gap() > 4) stick(false);
    else if (!wentUp && gap() < NEAR_END) stick();
  }, { passive: true });
  scroller.addEventListener("wheel", (event) => {
    if (event.deltaY < 0 && scroller.scrollTop > 0) stick(false);
  }, { passive: true });
  toEnd.addEventListener("click", () => {
    stick();
    glide();
  });

  return {
    stick,
    jump() {
      stick();
      scroller.scrollTop = scroller.scrollHeight;
    },
    noteNew() {
      if (!isStuck) toEnd.classList.add("fresh");
    },
    // Runs a change without moving what the person reads, be it above or below. Who is at the end is only taken along.
    hold(change) {
      const read = [...content.querySelectorAll(".row")].find((row) => row.offsetTop + row.offsetHeight > scroller.scrollTop);
      const was = read?.offsetTop;
      change();
      const moved = read ? read.offsetTop - was : 0;
      if (moved > 0 || !isStuck) scroller.scrollTop += moved;
    },
  };
}
