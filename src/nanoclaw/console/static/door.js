// The "People and chats" panel: who may speak, and to whom. Its tabs, and when each looks up what it shows.
import { showAudit, showDrops } from "./ledger.js";
import { showChats } from "./chats.js";
import { showExplain } from "./explain.js";
import { showGroups } from "./groups.js";
import { showPeople } from "./people.js";
import { byId } from "./pieces.js";
import { lookUp, showRequests } from "./requests.js";
import { t } from "./texts.js";

const panel = byId("door");
const tabs = [...panel.querySelectorAll("[role=tab]")];
const sentence = panel.querySelector(".sentence");

const shows = {
  requests: showRequests,
  people: showPeople,
  chats: showChats,
  groups: showGroups,
  drops: showDrops,
  audit: showAudit,
  explain: showExplain,
};

let asked = 0;
let isLooking = false;
let hasNews = false;

export function showDoor() {
  panel.showModal();
  select(selected());
}

// Something was said in one of the rooms: perhaps a card that asks for a decision, or one that shows it.
export async function noteNews() {
  hasNews = true;
  if (isLooking) return; // What comes in quick succession is looked up once more, afterwards.
  isLooking = true;
  while (hasNews) {
    hasNews = false;
    const isInSight = panel.open && selected().dataset.tab === "requests";
    // A count that cannot be had now comes with the next news, or when the stream is up again.
    await (isInSight ? look() : lookUp().catch(() => {}));
  }
  isLooking = false;
}

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
