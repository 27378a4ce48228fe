// Tabs are links: each of them has an address, and the one that is shown is marked.
import { path } from "../router.js";
import { html } from "../vendor/index.js";

/** @typedef {{ href: string, text: string, count?: number, description?: string, isHere?: boolean }} Tab */

/** @param {Tab} tab */
export const isHere = (tab) => tab.isHere ?? tab.href === path.value;

/** @param {{ label: string, items: Tab[] }} props */
export const Tabs = ({ label, items }) => html`
  <nav class="tabs" aria-label=${label}>
    ${items.map((tab) => html`
      <a key=${tab.href} href=${tab.href} aria-current=${isHere(tab) ? "page" : null}
         aria-description=${tab.count ? tab.description : null} ref=${bringIntoSight}>
        ${tab.text}<${Badge} count=${tab.count ?? 0} />
      </a>`)}
  </nav>`;

/** On a phone there are more tabs than room. @param {HTMLElement | null} link */
function bringIntoSight(link) {
  if (link?.ariaCurrent === "page") link.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** How many wait behind a link. Its name stays the same; the number is told in a description. @param {{ count: number }} props */
export const Badge = ({ count }) => count ? html` <span class="badge" aria-hidden="true">${count}</span>` : null;
