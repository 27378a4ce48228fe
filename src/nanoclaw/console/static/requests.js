// Who waits for a decision: strangers who want to speak, and chats that belong to no agent yet.
import * as api from "./api.js";
import { isMeant } from "./doubt.js";
import { complain, putAll } from "./editing.js";
import { byId, setTime } from "./pieces.js";
import { drawBadges } from "./tabs.js";
import { shortTime, t } from "./texts.js";

const part = byId("door-requests");
const list = part.querySelector("ul");
const settled = part.querySelector(".settled"); // What was decided last.
const badges = document.querySelectorAll("#tab-requests .badge");

let asked = 0;

export async function showRequests(isStale) {
  const requests = await lookUp();
  if (isStale()) return;
  putAll(list, requests, { keyOf: ({ id }) => id, template: "request-template", draw: drawRequest });
  return requests.length ? "" : t("console-requests-none");
}

// Looks them up, and shows on the way to them how many there are.
export async function lookUp() {
  const mine = ++asked;
  const { requests } = await api.listRequests();
  const count = requests.length;
  if (mine === asked) drawBadges(badges, count, t("console-requests-waiting", { count }));
  return requests;
}

function drawRequest(row, request) {
  const part = (selector) => row.querySelector(selector);
  const { about, at, chat, person: name, handle, groups, said, choices } = request;
  // A private chat has no name but that of the person.
  const kind = chat === name ? `${about}-alone` : about;
  part(".request-head").textContent = t(`console-request-${kind}`, { name, place: chat, group: groups.join(", ") });
  part(".handle").textContent = handle;
  setTime(part("time"), at, shortTime(at));
  part(".request-said").replaceChildren(...said.map((text) => {
    return Object.assign(document.createElement("blockquote"), { textContent: text, dir: "auto" });
  }));
  part(".choices").ariaLabel = t("console-request-choices", { name });
  if (part(".choices").dataset.drawn === JSON.stringify(choices)) return; // One of them may have the focus.
  part(".choices").dataset.drawn = JSON.stringify(choices);
  part(".choices").replaceChildren(...choices.map(({ value, label }) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: label });
    button.addEventListener("click", () => decide(row, request, value));
    return button;
  }));
}

const BLOCK = "block";

async function decide(row, { id, person: name }, choice) {
  if (row.ariaBusy === "true") return;
  if (choice === BLOCK && !await isMeant({
    title: t("console-people-block-title", { name }),
    sentence: t("console-people-block-sentence"),
    act: t("console-people-block"),
  })) return;
  row.ariaBusy = "true";
  complain(row, "");
  try {
    const { text } = await api.decideRequest(id, choice);
    settle(row, text);
    lookUp().catch(() => {}); // Decided it is; the count comes with the next news.
  } catch (error) {
    complain(row, error.message);
  } finally {
    row.ariaBusy = null;
  }
}

function settle(row, text) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  settled.textContent = text;
  (next?.querySelector("button") ?? settled).focus();
}
