// The chats of every channel: what happens to strangers in each, and how it is wired to agent groups.
import * as api from "./api.js";
import { isMeant } from "./doubt.js";
import { complain, filterBy, putAll, putOptions, save } from "./editing.js";
import { byId } from "./pieces.js";
import { t } from "./texts.js";
import { begin, drawWiring, finish, isUnfinished, refuse, wantedOf } from "./wirings.js";

const part = byId("door-chats");
const list = part.querySelector("ul");
const filter = part.querySelector("[type=search]");

const known = new Map(); // By id: as they are stored.
let groups = [];

filter.addEventListener("input", () => filterBy(filter, list));

export async function showChats(isStale) {
  const [{ chats }, found] = await Promise.all([api.listChats(), api.listGroups()]);
  if (isStale()) return;
  groups = found.groups.map(({ name }) => name);
  known.clear();
  for (const chat of chats) known.set(chat.id, chat);
  // Whoever comes back sees what is stored.
  for (const control of list.querySelectorAll("[data-unfinished]")) finish(control.closest(".wiring"), control);
  for (const problem of list.querySelectorAll(".problem")) problem.textContent = "";
  putAll(list, chats, { keyOf: ({ id }) => id, template: "chat-template", draw: drawChat });
  filterBy(filter, list);
}

function drawChat(row, chat) {
  const part = (selector) => row.querySelector(selector);
  row.dataset.words = [chat.title, chat.channel, chat.address].join(" ");
  row.ariaLabel = chat.title;
  part(".chat-title").textContent = chat.title;
  part(".chat-channel").textContent = chat.channel;
  part(".chat-kind").textContent = t(`console-kind-${chat.kind}`);
  part("[name=strangers]").value = chat.strangers;
  part(".unwired").hidden = chat.wirings.length > 0;
  putAll(part(".wirings"), chat.wirings, {
    keyOf: ({ group }) => group,
    template: "wiring-template",
    draw: drawWiring,
  });
  const others = groups.filter((group) => !chat.wirings.some((wiring) => wiring.group === group));
  part("[name=wire]").closest("label").hidden = others.length === 0;
  putOptions(part("[name=wire]"), others.map((group) => ({ value: group, label: group })));
  part("[name=wire]").value = "";
}

list.addEventListener("input", ({ target }) => {
  if (target.matches(".wiring input")) begin(target);
});

list.addEventListener("change", ({ target }) => {
  const { name, value } = target; // It is sent when earlier changes are, and may be redrawn before that.
  const chat = chatOf(target);
  const wiring = target.closest(".wiring");
  if (wiring) changeWiring(wiring, target);
  else if (name === "strangers") changeStrangers(target, chat, value);
  else if (name === "wire") change(target, rowOf(target), () => api.wire(chat.id, value, {}));
});

// What was refused and is still the same has not changed for the browser; perhaps the network was in the way.
list.addEventListener("keydown", ({ key, target }) => {
  if (key === "Enter" && target.matches(".wiring input") && target.dataset.refused === target.value) {
    changeWiring(target.closest(".wiring"), target);
  }
});

// Whoever leaves the field without a pattern has thought better of it.
list.addEventListener("focusout", ({ target }) => {
  const wiring = target.closest(".wiring");
  if (target.name !== "pattern" || target.value.trim()) return;
  finish(wiring, target);
  complain(wiring, "");
  const stored = chatOf(target).wirings.find(({ group }) => group === wiring.dataset.key);
  if (stored && rowOf(target).ariaBusy !== "true") drawWiring(wiring, stored);
});

list.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-do=unwire]");
  if (!button) return;
  unwire(button, button.closest(".wiring"), chatOf(button));
});

async function changeStrangers(select, chat, value) {
  const name = chat.title;
  const isDone = value !== "public" || await isMeant({
    title: t("console-chats-public-title", { name }),
    sentence: t("console-chats-public-sentence"),
    act: t("console-chats-public-act"),
  });
  if (isDone) change(select, rowOf(select), () => api.changeChat(chat.id, value));
  else drawChat(rowOf(select), known.get(chat.id) ?? chat);
}

async function unwire(button, wiring, chat) {
  const group = wiring.dataset.key;
  const isDone = await isMeant({
    title: t("console-chats-unwire-title", { name: chat.title, group }),
    sentence: t("console-chats-unwire-sentence", { group }),
    act: t("console-chats-unwire"),
  });
  if (isDone) change(button, wiring, () => api.unwire(chat.id, group));
}

const rowOf = (control) => control.closest(".chat-card");
const chatOf = (control) => known.get(rowOf(control).dataset.key);

function changeWiring(wiring, control) {
  const { min: least, max: most, validity, value } = control;
  const chat = chatOf(control);
  finish(wiring, control);
  if (isUnfinished(wiring, control)) return;
  if (validity.valid) {
    const wanted = wantedOf(wiring, control);
    change(control, wiring, () => api.wire(chat.id, wiring.dataset.key, wanted), () => refuse(wiring, control, value));
    return;
  }
  refuse(wiring, control, value);
  complain(wiring, t("console-wiring-priority-range", { least, most }));
}

// What is wrong is told in `place`: the wiring or the whole chat.
function change(control, place, send, keep = () => {}) {
  const row = rowOf(control);
  save(place, send, (chat) => {
    known.set(chat.id, chat);
    drawChat(row, chat);
    // The button went with the wiring that it ended.
    if (!row.contains(control)) row.querySelector("[name=strangers]").focus();
  }, () => {
    keep();
    drawChat(row, known.get(row.dataset.key));
  });
}
