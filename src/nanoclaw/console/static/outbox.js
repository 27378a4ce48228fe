// Sends messages in the order they were written, and remembers them until the server has them.
import * as api from "./api.js";

const PREFIX = "outbox:";

export function newMessage(text) {
  return { client_id: uuid(), text, reply_to: null };
}

// `sent(room, message, item)` or `failed(room, message, error)` is called for each message.
export function makeOutbox({ sent, failed }) {
  let line = Promise.resolve();

  function send(room, message) {
    sessionStorage.setItem(PREFIX + message.client_id, JSON.stringify({ room, message }));
    line = line
      .then(() => api.postMessage(room, message))
      .then((item) => sent(room, message, item), (error) => failed(room, message, error))
      .then(() => sessionStorage.removeItem(PREFIX + message.client_id));
  }

  function waiting() {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
    return keys.map((key) => JSON.parse(sessionStorage.getItem(key)));
  }

  // What a reloaded page did not get to send. Its client_id makes a repetition harmless.
  for (const { room, message } of waiting()) send(room, message);

  return { send, waiting };
}

// crypto.randomUUID exists only on https and localhost; the console may be on neither.
function uuid() {
  return "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
    (digit ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (digit / 4)))).toString(16));
}
