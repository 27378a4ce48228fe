// The rooms that the host has, which of them is open, and which have something new.
import { computed, signal } from "../../vendor/index.js";
import { section } from "../routes.js";

/** @typedef {{ id: string, title: string, channel: string, last_at: string | null }} Room */

export const rooms = signal(/** @type {Room[]} */ ([]));
export const unread = signal(/** @type {ReadonlySet<string>} */ (new Set()));
export const hasUnread = computed(() => unread.value.size > 0);
export const openRoom = signal(""); // The id of the one whose conversation is shown, or was last.

/** @param {string} id */
export const find = (id) => rooms.value.find((room) => room.id === id);

/** A room that is new here goes to the end, as the server lists it; the others stay where the eye expects them. @param {Room} room */
export function put(room) {
  const before = rooms.peek().find(({ id }) => id === room.id);
  const hasNews = room.last_at && room.last_at !== before?.last_at;
  const isSeen = room.id === openRoom.peek() && section.peek() === "chats";
  if (before && hasNews && !isSeen) unread.value = new Set([...unread.peek(), room.id]);
  rooms.value = before ? rooms.peek().map((each) => each === before ? room : each) : [...rooms.peek(), room];
}

/** @param {string} id */
export function noteSeen(id) {
  if (unread.peek().has(id)) unread.value = new Set([...unread.peek()].filter((each) => each !== id));
}
