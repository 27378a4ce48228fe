// The conversation of the open room: opens it, and carries what happens between the server, the timeline and the person.
// It continues while other pages are shown: its stream also brings the news they wait for.
import * as api from "../../api.js";
import { follow } from "../../live.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { batch, signal } from "../../vendor/index.js";
import { Activity } from "./activity.js";
import * as composer from "./composer.js";
import { makeOutbox, newMessage } from "./outbox.js";
import * as rooms from "./rooms.js";
import { makeScroll } from "./scroll.js";
import { Timeline } from "./timeline.js";

const STOP = "/stop";

export const activity = new Activity();
export const timeline = new Timeline(activity);
export const scroll = makeScroll();

export const trouble = signal(""); // Why the room could not be opened.
export const isOpened = signal(false); // What was said in it is here.
export const isReconnecting = signal(false);
export const isOlderFailed = signal(false);
export const hasOlder = signal(false);
export const newest = signal(/** @type {import("api").Line | null} */ (null)); // Finished answers are said to screen readers.

const outbox = makeOutbox({
  sent(where, message, item) {
    if (where !== rooms.openRoom.peek()) return;
    // The stream is often faster than this answer, and then already knows a newer state.
    if (!timeline.has(item.id)) receive([item]);
    timeline.drop(message.client_id); // Already taken over, unless the server changed the text.
  },
  failed(where, message, error) {
    timeline.drop(message.client_id);
    if (message.text !== STOP) return composer.giveBack(where, message, error);
    // Given back into the box it would be in the way of what the person writes there.
    timeline.setStopping(false);
    composer.complain(error);
  },
});

let followed = ""; // The room of the stream; another one may be open for a moment, or one that is not there.
let stopFollowing = () => {};
/** @type {Set<string>} */
let changedSinceUp = new Set();

// Opening a room

/** @param {string} id */
export async function open(id) {
  const { openRoom } = rooms;
  batch(() => {
    openRoom.value = id;
    isOpened.value = false;
    trouble.value = "";
    newest.value = null;
    timeline.clear();
    composer.enter(id);
  });
  try {
    const { items, more } = await api.newestMessages(id);
    if (openRoom.peek() !== id || isOpened.peek()) return;
    batch(() => {
      timeline.put(items);
      for (const { room, message } of outbox.waiting()) if (room === id) timeline.putSending(message);
      hasOlder.value = more;
      isOlderFailed.value = false;
      isOpened.value = true;
      scroll.jump();
    });
    listen(id);
  } catch (error) {
    if (openRoom.peek() === id) trouble.value = /** @type {Error} */ (error).message;
  }
}

/** @param {string} id */
function listen(id) {
  stopFollowing();
  followed = id;
  isReconnecting.value = false;
  stopFollowing = follow(() => api.livePath(id, timeline.newestId), events);
}

const isListening = () => isOpened.peek() && followed === rooms.openRoom.peek();

// What the server tells while the room is open

const events = {
  async up() {
    // A first connection mends nothing: what could not be sent before it still says so.
    if (isReconnecting.peek()) composer.recover();
    isReconnecting.value = false;
    news.noteAll();
    if (trouble.peek()) return open(rooms.openRoom.peek());
    if (!isListening()) return undefined;
    const id = followed;
    timeline.doubtDrafts();
    changedSinceUp = new Set();
    // The stream repeats new messages, but what became of old ones while it was down is only here.
    try {
      const [{ items }, list] = await Promise.all([api.newestMessages(id), api.listRooms()]);
      list.rooms.forEach(rooms.put);
      if (followed !== id || !isListening()) return undefined;
      receive(items.filter((/** @type {import("api").Line} */ item) => !changedSinceUp.has(item.id)));
      timeline.dropDoubtfulDrafts();
    } catch {
      // The stream will break too, and come back here.
    }
    return undefined;
  },
  down() {
    isReconnecting.value = true;
    // A stream does not say why it broke; if the page was locked out, this call notices.
    api.listRooms().catch(() => {});
  },
  /** @param {import("api").Line} item */
  message(item) {
    if (!isListening()) return;
    changedSinceUp.add(item.id);
    receive([item]);
  },
  /** @param {import("api").Growing} growing */
  preview({ turn, text, html }) {
    if (isListening()) timeline.putDraft(turn, text, html);
  },
  /** @param {import("api").Typing} typing */
  typing({ turn, on }) {
    if (isListening()) timeline.setTyping(turn, on);
  },
  /** @param {import("api").Tool} seen */
  tool(seen) {
    batch(() => {
      activity.putTool(seen);
      if (isListening()) timeline.showActivity(seen.turn, seen.state === "running");
    });
  },
  /** @param {import("api").Spent} spent */
  spent(spent) {
    batch(() => {
      activity.putSpent(spent);
      if (isListening()) timeline.showActivity(spent.turn);
    });
  },
  /** @param {rooms.Room} changed */
  room(changed) {
    rooms.put(changed);
    news.note(news.rooms);
  },
  question: () => news.note(news.questions),
  task: () => news.note(news.tasks),
  pipeline: () => news.note(news.pipelines),
  batch: () => news.note(news.batches),
  transfer: () => news.note(news.transfers),
  handoff: () => news.note(news.handoffs),
  budget: () => news.note(news.budgets),
  memory: () => news.note(news.memory),
};

/** @param {import("api").Line[]} items */
function receive(items) {
  // A line that comes while an answer grows goes above it, and must not push away what is read there.
  scroll.hold();
  const added = timeline.put(items, { arriving: true });
  if (added.length > 0) scroll.noteNew();
  newest.value = added.findLast((item) => item.author !== "person") ?? newest.peek();
}

// Earlier messages

export async function loadOlder() {
  const id = rooms.openRoom.peek();
  try {
    const { items, more } = await api.olderMessages(id, timeline.oldestId);
    if (rooms.openRoom.peek() !== id) return;
    scroll.hold();
    batch(() => {
      timeline.put(items);
      hasOlder.value = more;
      isOlderFailed.value = false;
    });
  } catch {
    if (rooms.openRoom.peek() === id) isOlderFailed.value = true;
  }
}

// What the person does

/** @param {import("./outbox.js").Message} message */
export function send(message) {
  outbox.send(rooms.openRoom.peek(), message);
  timeline.putSending(message);
  scroll.stick();
}

export function stop() {
  if (!timeline.isUnderWay) return;
  timeline.setStopping(true);
  composer.focus(); // The button that was pressed goes away.
  send(newMessage(STOP));
}

/** @param {string} text */
export const say = (text) => send(newMessage(text));

/** What screen readers are told of the newest answer. @param {import("api").Line} item @param {string} name */
export function announcement(item, name) {
  const text = [item.text, ...item.attachments.map((file) => file.name)].filter(Boolean).join(" ");
  return t("console-announce", { name, text });
}
