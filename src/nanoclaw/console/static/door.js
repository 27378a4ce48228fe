// The "People and chats" panel: who may speak, and to whom.
import { showAudit, showDrops } from "./ledger.js";
import { showChats } from "./chats.js";
import { showExplain } from "./explain.js";
import { showGroups } from "./groups.js";
import { showPeople } from "./people.js";
import { byId } from "./pieces.js";
import { lookUp, showRequests } from "./requests.js";
import { makeTabs, oneByOne } from "./tabs.js";

const door = makeTabs(byId("door"), {
  requests: showRequests,
  people: showPeople,
  chats: showChats,
  groups: showGroups,
  drops: showDrops,
  audit: showAudit,
  explain: showExplain,
});

export const showDoor = door.open;

// Something was said in one of the rooms: perhaps a card that asks for a decision, or one that shows it.
// A count that cannot be had now comes with the next news, or when the stream is up again.
export const noteNews = oneByOne(() => door.inSight() === "requests" ? door.look() : lookUp().catch(() => {}));
