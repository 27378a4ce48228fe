// The frame of a page: its heading, what can be done there, its tabs, and the page itself.
import { t } from "../texts.js";
import { goBack, visits } from "../router.js";
import { html, useEffect, useLayoutEffect, useRef } from "../vendor/index.js";
import { IconLink } from "./icon.js";
import { Tabs } from "./tabs.js";

/**
 * `back` is the address of the page that this one belongs to (`isBackBefore`: or wherever the person came from); `tabs` are
 * the links of its neighbours (see tabs.js).
 * @param {{ title: string, back?: string, isBackBefore?: boolean, actions?: unknown, tabs?: unknown[], label?: string, children?: unknown }} props
 */
export function Page({ title, back, isBackBefore, actions, tabs, label, children }) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useTitle(title);
  useFocus(heading);
  return html`
    <main id="main" class="page">
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

/** @param {string} title */
export function useTitle(title) {
  useLayoutEffect(() => {
    document.title = [title, t("console-product")].filter(Boolean).join(" · ");
  }, [title]);
}

/**
 * Whoever went to another page hears its heading; the focus would be on a link of the page that is gone.
 * @param {{ current: HTMLElement | null }} heading
 */
export function useFocus(heading) {
  useEffect(() => {
    if (!visits.peek()) return;
    const { activeElement: focused } = document;
    if (!focused?.closest("#main, dialog")) heading.current?.focus({ preventScroll: true });
  }, []);
}
