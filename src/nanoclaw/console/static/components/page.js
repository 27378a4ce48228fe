// The frame of a page: its heading, what can be done there, its tabs, and the page itself.
import { t } from "../texts.js";
import { cameBack, goBack, visits } from "../router.js";
import { html, useEffect, useLayoutEffect, useRef } from "../vendor/index.js";
import { IconLink } from "./icon.js";
import { isHere, Tabs } from "./tabs.js";

/**
 * `back` is the address of the page that this one belongs to (`isBackBefore`: or wherever the person came from); `tabs` are
 * the links of its neighbours (see tabs.js).
 * @param {{ title: string, back?: string, isBackBefore?: boolean, actions?: unknown, tabs?: import("./tabs.js").Tab[], label?: string, children?: unknown }} props
 */
export function Page({ title, back, isBackBefore, actions, tabs, label, children }) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const page = useRef(/** @type {any} */ (null));
  useTitle(title, tabs?.find(isHere)?.text);
  useFocus(heading);
  useReadingPlace(page);
  return html`
    <main id="main" class="page" ref=${page}>
      <header class="page-head">
        ${back && html`<${IconLink} icon="back" label=${t("console-back")} href=${back}
          onClick=${isBackBefore ? (/** @type {Event} */ event) => {
            event.preventDefault();
            goBack(back);
          } : undefined} />`}
        <h1 tabindex="-1" dir="auto" ref=${heading}>${title}</h1>
        ${actions && html`<div class="page-actions">${actions}</div>`}
      </header>
      ${tabs && html`<${Tabs} label=${label ?? title} items=${tabs} />`}
      <div class="page-body">${children}</div>
    </main>`;
}

/** Neighbours share a heading; in the history of the browser each has its own name. @param {string} title @param {string} [tab] */
export function useTitle(title, tab = "") {
  useLayoutEffect(() => {
    document.title = [tab === title ? "" : tab, title, t("console-product")].filter(Boolean).join(" · ");
  }, [tab, title]);
}

/**
 * After a change of page a screen reader says its heading; otherwise the focus would be on a link of the old page.
 * @param {{ current: HTMLElement | null }} heading
 */
export function useFocus(heading) {
  useEffect(() => {
    if (!visits.peek()) return;
    const { activeElement: focused } = document;
    if (!focused?.closest("#main, dialog")) heading.current?.focus({ preventScroll: true });
  }, []);
}

/** @type {Map<string, number>} By address: how far down the person had read. */
const places = new Map();

/**
 * A person who comes back finds the page where they left it, as soon as that much of it is there again.
 * @param {{ current: HTMLElement }} page
 */
function useReadingPlace(page) {
  useLayoutEffect(() => {
    const here = location.pathname + location.search;
    const element = page.current;
    const wanted = cameBack() ? places.get(here) ?? 0 : 0;
    const bring = () => {
      element.scrollTop = wanted;
      if (Math.abs(element.scrollTop - wanted) < 1) growing.disconnect();
    };
    const growing = new ResizeObserver(bring);
    if (wanted) growing.observe(/** @type {Element} */ (element.querySelector(".page-body")));
    const stop = () => growing.disconnect(); // The person scrolls: where they want to be is known now.
    element.addEventListener("wheel", stop, { passive: true });
    element.addEventListener("touchmove", stop, { passive: true });
    return () => {
      growing.disconnect();
      places.set(here, element.scrollTop);
    };
  }, []);
}
