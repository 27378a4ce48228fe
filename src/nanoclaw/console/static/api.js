// The HTTP API of the server: every call gives its answer or throws an error made for the person.
import { authorized } from "./session.js";
import { t } from "./texts.js";

const GIVE_UP_AFTER = 30_000;

async function ask(path, options = {}) {
  let response;
  try {
    const headers = { ...options.headers, ...authorized() };
    response = await fetch(path, { signal: AbortSignal.timeout(GIVE_UP_AFTER), ...options, headers });
  } catch {
    throw Object.assign(new Error(t("console-error-network")), { unreachable: true });
  }
  // The link was changed: loading the page again shows how to get a new one.
  if (response.status === 401) location.reload();
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new Error(answer.error ?? t("console-error-server"));
}

async function call(method, path, body) {
  const headers = body ? { "Content-Type": "application/json" } : {};
  const response = await ask(path, { method, headers, body: body && JSON.stringify(body) });
  return response.json().catch(() => ({}));
}

// However long it takes: it may be big.
export const readFile = async (path) => (await ask(path, { signal: null })).blob();

const at = (strings, ...ids) => String.raw({ raw: strings }, ...ids.map(encodeURIComponent));

export const listRooms = () => call("GET", "/api/rooms");
export const createRoom = (title) => call("POST", "/api/rooms", { title });
export const renameRoom = (room, title) => call("PATCH", at`/api/rooms/${room}`, { title });

export const newestMessages = (room) => call("GET", at`/api/rooms/${room}/messages?limit=50`);
export const olderMessages = (room, before) => call("GET", at`/api/rooms/${room}/messages?before=${before}&limit=50`);
export const postMessage = (room, message) => call("POST", at`/api/rooms/${room}/messages`, message);
export const retryMessage = (id) => call("POST", at`/api/messages/${id}/retry`);
export const whyMessage = (id) => call("GET", at`/api/messages/${id}/why`);

export const listConnections = (before) =>
  call("GET", before === undefined ? "/api/connections" : at`/api/connections?before=${before}`);
export const readCosts = () => call("GET", "/api/costs");

export const listBots = () => call("GET", "/api/bots");
export const connectBot = (token) => call("POST", "/api/bots", { token });
export const disconnectBot = (bot) => call("DELETE", at`/api/bots/${bot}`);
export const pair = () => call("POST", "/api/pairing");
export const drawQr = async (text) => (await ask("/api/qr", { method: "POST", body: JSON.stringify({ text }) })).blob();

export const pressButton = (room, line, data) => call("POST", at`/api/rooms/${room}/press`, { line, data });
export const listRequests = () => call("GET", "/api/requests");
export const decideRequest = (request, choice) => call("POST", at`/api/requests/${request}`, { choice });
export const listPeople = () => call("GET", "/api/people");
export const changePerson = (person, change) => call("PATCH", at`/api/people/${person}`, change);
export const listChats = () => call("GET", "/api/chats");
export const changeChat = (chat, strangers) => call("PATCH", at`/api/chats/${chat}`, { strangers });
export const wire = (chat, group, change) => call("PUT", at`/api/chats/${chat}/wirings/${group}`, change);
export const unwire = (chat, group) => call("DELETE", at`/api/chats/${chat}/wirings/${group}`);
export const listGroups = () => call("GET", "/api/groups");
export const foundGroup = (name, company) => call("POST", "/api/groups", { name, company });
export const listDrops = (before) => call("GET", before === undefined ? "/api/drops" : at`/api/drops?before=${before}`);
export const listAudit = (before) => call("GET", before === undefined ? "/api/audit" : at`/api/audit?before=${before}`);
export const explainAdmission = (message) => call("POST", "/api/admission/explain", message);

export const listQuestions = (limit, after) =>
  call("GET", after === undefined ? at`/api/questions?limit=${limit}` : at`/api/questions?limit=${limit}&after=${after}`);
export const getQuestion = (question) => call("GET", at`/api/questions/${question}`);
export const decideQuestion = (question, option, text) =>
  call("POST", at`/api/questions/${question}/decide`, { option, text });
export const cancelQuestion = (question) => call("POST", at`/api/questions/${question}/cancel`);
export const askAgain = (question) => call("POST", at`/api/questions/${question}/again`);
export const documentPath = (question) => at`/api/questions/${question}/document`;
export const listDecisions = (before) =>
  call("GET", before === undefined ? "/api/decisions" : at`/api/decisions?before=${before}`);
export const readFigures = (days) => call("GET", at`/api/decisions/figures?days=${days}`);
export const listPermits = () => call("GET", "/api/permits");
export const revokePermit = (permit) => call("DELETE", at`/api/permits/${permit}`);

export const listTasks = (over, before) =>
  call("GET", before === undefined ? at`/api/tasks?over=${over}` : at`/api/tasks?over=${over}&before=${before}`);
export const addTask = (wanted) => call("POST", "/api/tasks", wanted);
export const previewTask = (when, timezone, group) => call("POST", "/api/tasks/preview", { when, timezone, group });
export const editTask = (task, change) => call("PATCH", at`/api/tasks/${task}`, change);
export const changeTask = (task, action) => call("POST", at`/api/tasks/${task}/${action}`);
export const deleteTask = (task) => call("DELETE", at`/api/tasks/${task}`);
export const listRuns = (task, limit, before) =>
  call("GET", before === undefined ? at`/api/tasks/${task}/runs?limit=${limit}` : at`/api/tasks/${task}/runs?limit=${limit}&before=${before}`);
export const readCalendar = (from, to) => call("GET", at`/api/calendar?from=${from}&to=${to}`);

export const livePath = (room, after) =>
  after === undefined ? at`/api/rooms/${room}/live` : at`/api/rooms/${room}/live?after=${after}`;
