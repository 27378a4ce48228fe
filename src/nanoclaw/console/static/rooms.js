// The list of rooms: choosing, creating, renaming, and the drawer it becomes on a phone.
import * as api from "./api.js";
import { byId, copyOf, setIcon, setTime } from "./pieces.js";
import { unread as unreadRooms } from "./pages/chats/rooms.js";
import { shortTime, t } from "./texts.js";

export const roomPath = (id) => `/chats/${encodeURIComponent(id)}`;

// `choose(id)` is called when the person picks or creates a room.
export function makeRooms(choose) {
  const list = byId("rooms");
  const rooms = new Map();
  const unread = new Set();
  let current;

  function draw(room) {
    const found = list.querySelector(`[data-id="${CSS.escape(room.id)}"]`);
    const entry = found ?? copyOf("room-template");
    entry.dataset.id = room.id;
    const link = entry.querySelector("a");
    link.href = roomPath(room.id);
    link.ariaCurrent = room.id === current ? "page" : null;
    setIcon(entry, room.channel);
    entry.querySelector("bdi").textContent = room.title;
    if (room.last_at) setTime(entry.querySelector("time"), room.last_at, shortTime(room.last_at));
    entry.querySelector(".dot").hidden = !unread.has(room.id);
    byId("menu").querySelector(".dot").hidden = unread.size === 0;
    unreadRooms.value = new Set(unread);
    return entry;
  }

  function drawHead() {
    const title = rooms.get(current)?.title ?? "";
    byId("room-title").textContent = title;
    byId("rename-room").hidden = !rooms.has(current);
    document.title = [title, t("console-product")].filter(Boolean).join(" · ");
  }

  // A room that is new here goes to the end, as the server lists it; the others stay where the eye expects them.
  function put(room) {
    const before = rooms.get(room.id);
    const hasNews = room.last_at && room.last_at !== before?.last_at;
    if (before && hasNews && room.id !== current) unread.add(room.id);
    rooms.set(room.id, room);
    const entry = draw(room);
    if (!before) list.append(entry);
    if (room.id === current) drawHead();
  }

  function select(id) {
    current = id;
    unread.delete(id);
    for (const room of rooms.values()) draw(room);
    drawHead();
    openDrawer(false);
  }

  list.addEventListener("click", (event) => {
    const entry = event.target.closest("[data-id]");
    // With a key held down the person wants a new tab or window; the link itself gives that.
    if (!entry || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(entry.dataset.id);
  });
  byId("new-room").addEventListener("click", () => askTitle(t("console-room-new"), "", async (title) => {
    const room = await api.createRoom(title);
    put(room);
    choose(room.id);
    // A dialog gives the focus back to where it came from; here the person wants to write.
    byId("room-dialog").addEventListener("close", () => byId("text").focus(), { once: true });
  }));
  byId("rename-room").addEventListener("click", () => {
    const { id, title } = rooms.get(current);
    askTitle(t("console-room-rename"), title, async (title) => put(await api.renameRoom(id, title)));
  });

  return {
    select,
    put,
    putAll: (all) => all.forEach(put),
  };
}

// Asks for a room's name; the dialog stays open, with the reason, when `save` fails.
function askTitle(heading, title, save) {
  const dialog = byId("room-dialog");
  const form = dialog.querySelector("form");
  const problem = dialog.querySelector(".problem");
  dialog.querySelector("h2").textContent = heading;
  problem.textContent = "";
  form.elements.title.value = title;
  form.onsubmit = async (event) => {
    event.preventDefault();
    try {
      await save(form.elements.title.value.trim());
      dialog.close();
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  dialog.showModal();
  form.elements.title.select();
}

function openDrawer(isOpen) {
  document.body.classList.toggle("drawer-open", isOpen);
  byId("menu").setAttribute("aria-expanded", isOpen);
  byId("main").inert = isOpen;
}

byId("menu").addEventListener("click", () => openDrawer(!document.body.classList.contains("drawer-open")));
byId("backdrop").addEventListener("click", () => openDrawer(false));
addEventListener("keydown", (event) => {
  if (event.key === "Escape") openDrawer(false);
});
// A drawer left open while the window grows would leave the conversation locked.
matchMedia("(min-width: 760px)").addEventListener("change", () => openDrawer(false));
