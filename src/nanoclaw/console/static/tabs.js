// A panel with tabs: which one is chosen, and when each looks up what it shows.
import { byId } from "./pieces.js";
import { t } from "./texts.js";

// `shows` has a function for each tab, by its name. It is given `isStale`, and returns a sentence to be told, if any.
export function makeTabs(panel, shows) {
  const tabs = [...panel.querySelectorAll("[role=tab]")];
  const sentence = panel.querySelector(".sentence");
  let asked = 0;

  panel.addEventListener("close", () => asked++); // What is still under way comes too late.

  panel.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const here = tabs.indexOf(event.target);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined || here < 0) return;
    event.preventDefault();
    const tab = tabs.at(to % tabs.length);
    select(tab);
    tab.focus();
  });
  for (const tab of tabs) tab.addEventListener("click", () => select(tab));

  const selected = () => tabs.find((tab) => tab.ariaSelected === "true");
  const partOf = (tab) => byId(tab.getAttribute("aria-controls"));

  function select(chosen) {
    for (const tab of tabs) {
      tab.ariaSelected = String(tab === chosen);
      tab.tabIndex = tab === chosen ? 0 : -1;
      partOf(tab).hidden = tab !== chosen;
    }
    chosen.scrollIntoView({ block: "nearest", inline: "nearest" });
    sentence.textContent = t("console-door-loading");
    look();
  }

  // Each tab tells by a sentence that there is nothing to show.
  async function look() {
    const mine = ++asked;
    const tab = selected();
    const isStale = () => mine !== asked;
    const said = await shows[tab.dataset.tab](isStale).catch((error) => error.message);
    // Meanwhile another tab was chosen, or the panel was closed.
    if (!isStale()) sentence.textContent = said ?? "";
  }

  return {
    open() {
      panel.showModal();
      select(selected());
    },
    look,
    inSight: () => panel.open ? selected().dataset.tab : null,
  };
}

// News that come in quick succession are looked up once more, afterwards.
export function oneByOne(look) {
  let isLooking = false;
  let hasNews = false;
  return async () => {
    hasNews = true;
    if (isLooking) return;
    isLooking = true;
    while (hasNews) {
      hasNews = false;
      await look();
    }
    isLooking = false;
  };
}

// How many wait, on the way to them.
export function drawBadges(badges, count, text) {
  for (const badge of badges) {
    badge.hidden = count === 0;
    badge.textContent = count;
    // Not in the name: the button and the tab are still called the same.
    badge.parentElement.ariaDescription = count ? text : null;
  }
}
