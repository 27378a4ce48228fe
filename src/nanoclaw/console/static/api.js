// What the conversation, the bar, the bots and the connections ask of the host, by name.
import { addressOf, get, patch, post, readBlob, remove } from "./call.js";

/** @import { NewMessage } from "api" */

const LINES = 50;

export const listRooms = () => get("/api/rooms", {});
/** @param {string} title */
export const createRoom = (title) => post("/api/rooms", {}, { title });
/** @param {string} room @param {string} title */
export const renameRoom = (room, title) => patch("/api/rooms/{room}", { room }, { title });

/** @param {string} room */
export const newestMessages = (room) => get("/api/rooms/{room}/messages", { room, limit: LINES });
/** @param {string} room @param {string} [before] */
export const olderMessages = (room, before) => get("/api/rooms/{room}/messages", { room, before, limit: LINES });
/** @param {string} room @param {NewMessage} message */
export const postMessage = (room, message) => post("/api/rooms/{room}/messages", { room }, message);
/** @param {string} message */
export const retryMessage = (message) => post("/api/messages/{message}/retry", { message });
/** @param {string} message */
export const whyMessage = (message) => get("/api/messages/{message}/why", { message });
/** @param {string} room @param {string} line @param {string} data */
export const pressButton = (room, line, data) => post("/api/rooms/{room}/press", { room }, { line, data });
/** @param {string} room @param {string} [after] */
export const livePath = (room, after) => addressOf("/api/rooms/{room}/live", { room, after });

/** @param {number} limit */
export const listQuestions = (limit) => get("/api/questions", { limit });
export const listRequests = () => get("/api/requests", {});

/** @param {string} [before] */
export const listConnections = (before) => get("/api/connections", { before });

export const listBots = () => get("/api/bots", {});
/** @param {string} token */
export const connectBot = (token) => post("/api/bots", {}, { token });
/** @param {string} bot */
export const disconnectBot = (bot) => remove("/api/bots/{bot}", { bot });
export const pair = () => post("/api/pairing", {});
/** @param {string} text */
export const drawQr = (text) => readBlob("/api/qr", { method: "POST", body: JSON.stringify({ text }) });

/** However long it takes: it may be big. @param {string} path */
export const readFile = (path) => readBlob(path, { signal: null });
