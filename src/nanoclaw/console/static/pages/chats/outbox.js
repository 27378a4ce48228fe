// Sends messages in the order they were written, and remembers them until the server has them.
import * as api from "../../api.js";

/** @typedef {{ client_id: string, text: string, reply_to: string | null }} Message */

const PREFIX = "outbox:";

/** @param {string} text @returns {Message} */
export function newMessage(text) {
  return { client_id: uuid(), text, reply_to: null };
}

/**
 * One of the two is called for each message.
 * @param {{ sent: (room: string, message: Message, item: import("api").Line) => void,
 *   failed: (room: string, message: Message, error: Error) => void }} tell
 */
export function makeOutbox({ sent, failed }) {
  let line = Promise.resolve();

  /** @param {string} room @param {Message} message */
  function send(room, message) {
    sessionStorage.setItem(PREFIX + message.client_id, JSON.stringify({ room, message }));
    line = line
      .then(() => api.postMessage(room, message))
      .then((item) => sent(room, message, item), (error) => failed(room, message, error))
      .then(() => sessionStorage.removeItem(PREFIX + message.client_id));
  }

  /** @returns {{ room: string, message: Message }[]} */
  function waiting() {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
    return keys.map((key) => JSON.parse(sessionStorage.getItem(key) ?? ""));
  }

  // What a reloaded page did not get to send. Its client_id makes a repetition harmless.
  for (const { room, message } of waiting()) send(room, message);

  return { send, waiting };
}

// crypto.randomUUID exists only on https and localhost; the console may be on neither.
function uuid() {
  return "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
    (Number(digit) ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (Number(digit) / 4)))).toString(16));
}
