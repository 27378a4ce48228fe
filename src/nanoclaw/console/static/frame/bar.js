// The bar: at the left, with words; on a phone at the bottom, with the pages that are used most and the way to the rest.
import { Icon } from "../components/icon.js";
import { Badge } from "../components/tabs.js";
import * as counts from "../counts.js";
import { section } from "../pages/routes.js";
import { hasUnread } from "../pages/chats/rooms.js";
import { t } from "../texts.js";
import { html } from "../vendor/index.js";
import { ThemeButton } from "./theme-button.js";

/** @typedef {{ section: string, href: string, icon: string, text: string, isOnPhone: boolean }} Entry */

/** @returns {Entry[]} */
export const entries = () => [
  { section: "chats", href: "/chats", icon: "web", text: t("console-nav-chats"), isOnPhone: true },
  { section: "inbox", href: "/inbox", icon: "inbox", text: t("console-inbox"), isOnPhone: true },
  { section: "sessions", href: "/sessions", icon: "terminal", text: t("console-sessions"), isOnPhone: false },
  { section: "tasks", href: "/tasks", icon: "calendar", text: t("console-tasks"), isOnPhone: true },
  { section: "pipelines", href: "/pipelines", icon: "flow", text: t("console-pipelines"), isOnPhone: false },
  { section: "batches", href: "/batches", icon: "stack", text: t("console-batches"), isOnPhone: false },
  { section: "handoffs", href: "/handoffs", icon: "handoff", text: t("console-handoffs"), isOnPhone: false },
  { section: "transfers", href: "/transfers", icon: "away", text: t("console-transfers"), isOnPhone: false },
  { section: "people", href: "/people", icon: "people", text: t("console-nav-people"), isOnPhone: true },
  { section: "memory", href: "/memory", icon: "bookmark", text: t("console-memory"), isOnPhone: false },
  { section: "context", href: "/context", icon: "book", text: t("console-context"), isOnPhone: false },
  { section: "costs", href: "/costs", icon: "coin", text: t("console-costs"), isOnPhone: false },
  { section: "bots", href: "/bots", icon: "plane", text: t("console-bots"), isOnPhone: false },
  { section: "connections", href: "/connections", icon: "globe", text: t("console-connections"), isOnPhone: false },
];

const waiting = () => ({
  inbox: { count: counts.questions.value, text: t("console-questions-waiting", { count: counts.questions.value }) },
  people: { count: counts.requests.value, text: t("console-requests-waiting", { count: counts.requests.value }) },
});

export function Bar() {
  const here = section.value;
  const isBehindMore = entries().some((entry) => entry.section === here && !entry.isOnPhone);
  return html`
    <nav class="bar" aria-label=${t("console-nav")}>
      <a class="brand" href="/"><img src="/static/favicon.svg" alt="" width="26" height="26" /> <span>${t("console-product")}</span></a>
      <ul>
        ${entries().map((entry) => html`<${BarLink} key=${entry.section} entry=${entry} isHere=${entry.section === here} />`)}
        <li class="phone-only">
          <a href="/more" aria-current=${here === "more" || isBehindMore ? "page" : null}><${Icon} name="more" /><span>${t("console-nav-more")}</span></a>
        </li>
      </ul>
      <${ThemeButton} />
    </nav>`;
}

/** @param {{ entry: Entry, isHere: boolean }} props */
function BarLink({ entry, isHere }) {
  /** @type {Record<string, { count: number, text: string }>} */
  const all = waiting();
  const wait = all[entry.section];
  return html`
    <li class=${entry.isOnPhone ? null : "wide-only"} data-section=${entry.section}>
      <a href=${entry.href} aria-current=${isHere ? "page" : null} aria-description=${wait?.count ? wait.text : null}>
        <${Icon} name=${entry.icon} />
        <span>${entry.text}</span>
        <${Badge} count=${wait?.count ?? 0} />
        ${entry.section === "chats" && hasUnread.value && html`<span class="dot"><span class="unseen">${t("console-unread")}</span></span>`}
      </a>
    </li>`;
}
