// The chat page: opens rooms, and carries what happens between the server, the timeline and the person.
import { Activity } from "./activity.js";
import * as api from "./api.js";
import { askDisconnect, pairBot } from "./bots.js";
import { press } from "./cards.js";
import { makeComposer } from "./composer.js";
import { showMoreConnections } from "./connections.js";
import { follow } from "./live.js";
import { makeOutbox, newMessage } from "./outbox.js";
import * as news from "./news.js";
import { byId } from "./pieces.js";
import { go } from "./router.js";
import { makeRooms, roomPath } from "./rooms.js";
import { keepAtEnd } from "./scroll.js";
import { boot, t } from "./texts.js";
import { Timeline } from "./timeline.js";
import { copyCode, nameOf } from "./view.js";
import { showWhy } from "./why.js";

const scroller = byId("scroller");
const older = byId("older");
const activity = new Activity();
const timeline = new Timeline(byId("timeline"), activity);
const scroll = keepAtEnd(scroller, byId("timeline"), byId("to-end"));
const composer = makeComposer(byId("composer"), send, stop);
const rooms = makeRooms((id) => go(roomPath(id)));
const outbox = makeOutbox({
  sent(where, message, item) {
    if (where !== room) return;
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

const STOP = "/stop";

let room; // The id of the room on the screen.
let stopFollowing = () => {};
let changedSinceUp = new Set();

// Opening a room

async function open(id) {
  room = id;
  stopFollowing();
  rooms.select(id);
  composer.enter(id);
  byId("connection").textContent = "";
  try {
    const { items, more } = await api.newestMessages(id);
    if (room === id) show(items, more);
  } catch (error) {
    if (room === id) showNotice(error.message);
  }
}

function show(items, more) {
  showNotice("");
  timeline.put(items);
  for (const { room: where, message } of outbox.waiting()) if (where === room) timeline.putSending(message);
  showOlder(more);
  scroll.jump();
  stopFollowing();
  const id = room;
  stopFollowing = follow(() => api.livePath(id, timeline.newestId), events);
}

function showNotice(text) {
  timeline.clear();
  scroller.dataset.shows = text ? "notice" : "conversation";
  byId("notice").querySelector("p").textContent = text;
}

// What the server tells while the room is open

const events = {
  async up() {
    const id = room;
    byId("connection").textContent = "";
    composer.recover();
    timeline.doubtDrafts();
    changedSinceUp = new Set();
    news.noteAll();
    // The stream repeats new messages, but what became of old ones while it was down is only here.
    try {
      const [{ items }, list] = await Promise.all([api.newestMessages(id), api.listRooms()]);
      rooms.putAll(list.rooms);
      if (room !== id) return;
      receive(items.filter((item) => !changedSinceUp.has(item.id)));
      timeline.dropDoubtfulDrafts();
    } catch {
      // The stream will break too, and come back here.
    }
  },
  down() {
    byId("connection").textContent = t("console-reconnecting");
    // A stream does not say why it broke; if the page was locked out, this call notices.
    api.listRooms().catch(() => {});
  },
  message(item) {
    changedSinceUp.add(item.id);
    receive([item]);
  },
  preview: ({ turn, text, html }) => timeline.putDraft(turn, text, html),
  typing: ({ turn, on }) => timeline.setTyping(turn, on),
  tool(seen) {
    activity.putTool(seen);
    timeline.showActivity(seen.turn, seen.state === "running");
  },
  spent(spent) {
    activity.putSpent(spent);
    timeline.showActivity(spent.turn);
  },
  room(changed) {
    rooms.put(changed);
    news.note(news.rooms);
  },
  question() {
    news.note(news.questions);
  },
  task() {
    news.note(news.tasks);
  },
};

function receive(items) {
  let added = [];
  // A line that comes while an answer grows goes above it, and must not push away what is read there.
  scroll.hold(() => { added = timeline.put(items, { arriving: true }); });
  if (added.length > 0) scroll.noteNew();
  const answer = added.findLast((item) => item.author !== "person");
  if (!answer) return;
  const text = [answer.text, ...(answer.attachments ?? []).map((file) => file.name)].filter(Boolean).join(" ");
  byId("announcer").textContent = t("console-announce", { name: nameOf(answer), text });
}

// Earlier messages

const olderInSight = new IntersectionObserver(([entry]) => {
  if (entry.isIntersecting) loadOlder();
}, { root: scroller, rootMargin: "600px 0px 0px" });

function showOlder(more) {
  older.textContent = more ? t("console-loading-older") : t("console-conversation-start");
  // Observing anew reports at once if the line is still in sight, so short pages keep loading.
  olderInSight.disconnect();
  if (more) olderInSight.observe(older);
}

async function loadOlder() {
  const id = room;
  try {
    const { items, more } = await api.olderMessages(id, timeline.oldestId);
    if (room !== id) return;
    scroll.hold(() => timeline.put(items));
    showOlder(more);
  } catch {
    if (room === id) older.textContent = t("console-loading-older-failed");
  }
}

// What the person does

function send(message) {
  outbox.send(room, message);
  timeline.putSending(message);
  scroll.stick();
}

function stop() {
  if (!timeline.isUnderWay) return;
  timeline.setStopping(true);
  composer.focus(); // The button that was pressed goes away.
  send(newMessage(STOP));
}

const actions = {
  stop,
  "more-connections": showMoreConnections,
  "pair-bot": pairBot,
  "disconnect-bot": askDisconnect,
  press: (button) => press(room, button),
  why: (button) => showWhy(button.closest(".row").dataset.id),
  copy: copyCode,
  suggest: (button) => send(newMessage(button.textContent)),
  reopen: () => open(room),
  close: (button) => button.closest("dialog").close(),
  async retry(button) {
    const row = button.closest(".row");
    button.disabled = true; // Until the stream brings the message's new state.
    try {
      await api.retryMessage(row.dataset.id);
    } catch (error) {
      button.disabled = false;
      row.querySelector(".state").textContent = error.message;
    }
  },
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (button) actions[button.dataset.action](button);
  else if (event.target.matches("dialog")) event.target.close(); // Its backdrop counts as the dialog.
});

export function enter(id = room) {
  byId("why").close(); // It speaks of a message of the room that is left.
  if (id !== room) open(id);
  else {
    composer.focus();
    scroll.jump();
  }
}

rooms.putAll(boot.rooms);
if (boot.room) open(boot.room);
else byId("new-room").click();
