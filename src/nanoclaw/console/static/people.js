// Everyone who has written or has a role: what they may do everywhere and in single agent groups, and who is blocked.
import * as api from "./api.js";
import { isMeant } from "./doubt.js";
import { filterBy, putAll, putOptions, save } from "./editing.js";
import { byId } from "./pieces.js";
import { boot, t } from "./texts.js";

const part = byId("door-people");
const list = part.querySelector("ul");
const filter = part.querySelector("[type=search]");

const known = new Map(); // By id: as they are stored.
let groups = [];

filter.addEventListener("input", () => filterBy(filter, list));

export async function showPeople(isStale) {
  const [{ people }, found] = await Promise.all([api.listPeople(), api.listGroups()]);
  if (isStale()) return;
  groups = found.groups.map(({ name }) => name);
  known.clear();
  for (const person of people) known.set(person.id, person);
  putAll(list, people, { keyOf: ({ id }) => id, template: "person-template", draw: drawPerson });
  filterBy(filter, list);
}

function drawPerson(row, person) {
  const part = (selector) => row.querySelector(selector);
  const { name, username, handle, role, memberships, blocked } = person;
  row.dataset.words = [name, username, handle].join(" ");
  row.ariaLabel = name;
  row.classList.toggle("blocked", blocked);
  part(".person-name").textContent = name;
  part(".person-username").textContent = username ? `@${username}` : "";
  part(".handle").textContent = handle;
  // Whoever holds this machine is its owner, whatever anyone chooses here.
  const isLocalOwner = handle === boot.handle;
  part(".local-owner").hidden = !isLocalOwner;
  part(".person-rights").hidden = isLocalOwner;
  part(".person-actions").hidden = isLocalOwner;
  part("[name=role]").value = role;
  part(".blocked-mark").hidden = !blocked;
  part("[data-do=block]").textContent = t(blocked ? "console-people-unblock" : "console-people-block");
  putAll(part(".memberships"), memberships, {
    keyOf: ({ group }) => group,
    template: "membership-template",
    draw: drawMembership,
  });
  const others = groups.filter((group) => !memberships.some((one) => one.group === group));
  part("[name=join]").closest("label").hidden = others.length === 0;
  putOptions(part("[name=join]"), others.map((group) => ({ value: group, label: group })));
  part("[name=join]").value = "";
}

function drawMembership(element, { group, role }) {
  element.querySelector(".membership-group").textContent = group;
  element.querySelector("select").value = role;
  element.querySelector("select").ariaLabel = t("console-people-role-in", { group });
  element.querySelector("button").ariaLabel = t("console-people-leave", { group });
}

list.addEventListener("change", ({ target }) => {
  if (target.name === "role") giveRole(target);
  else if (target.name === "join") change(target, { role: "member", group: target.value });
  else if (target.name === "role-in") giveRoleIn(target);
});

list.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-do]");
  if (button?.dataset.do === "block") block(button);
  if (button?.dataset.do === "leave") leave(button);
});

// What gives someone power over others, or takes away what they have, is asked about first.

function giveRole(select) {
  const role = select.value;
  changeIfMeant(select, role === "none" ? "no-role" : role, { role });
}

function giveRoleIn(select) {
  const group = groupOf(select);
  const wanted = { role: select.value, group };
  if (select.value === "admin") changeIfMeant(select, "group-admin", wanted, { group });
  else change(select, wanted);
}

function leave(button) {
  const group = groupOf(button);
  changeIfMeant(button, "leave", { role: "none", group }, { group });
}

function block(button) {
  if (personOf(button).blocked) change(button, { blocked: false });
  else changeIfMeant(button, "block", { blocked: true });
}

async function changeIfMeant(control, doubt, wanted, words = {}) {
  const person = personOf(control);
  const say = (part) => t(`console-people-${doubt}${part}`, { name: person.name, ...words });
  const act = say(doubt === "block" ? "" : "-act");
  if (await isMeant({ title: say("-title"), sentence: say("-sentence"), act })) change(control, wanted);
  else drawPerson(rowOf(control), known.get(person.id) ?? person);
}

const personOf = (control) => known.get(rowOf(control).dataset.key);

const rowOf = (control) => control.closest(".person");
const groupOf = (control) => control.closest(".membership").dataset.key;

function change(control, wanted) {
  const row = rowOf(control);
  const id = row.dataset.key;
  save(row, () => api.changePerson(id, wanted), (person) => {
    known.set(id, person);
    drawPerson(row, person);
    // The button went with the membership that it ended.
    if (!row.contains(control)) row.querySelector("[name=role]").focus();
  }, () => drawPerson(row, known.get(id)));
}
