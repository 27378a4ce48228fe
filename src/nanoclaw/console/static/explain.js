// "What would happen?": a message that nobody sends, and what would become of it.
import * as api from "./api.js";
import { putOptions } from "./editing.js";
import { byId, copyOf } from "./pieces.js";
import { t } from "./texts.js";

const part = byId("door-explain");
const form = part.querySelector("form");
const { chat, person, text, addressed } = form.elements;
const answer = part.querySelector(".verdict");

const channels = new Map(); // By the chat's id.

export async function showExplain(isStale) {
  const [{ chats }, { people }] = await Promise.all([api.listChats(), api.listPeople()]);
  if (isStale()) return;
  const chosen = [chat.value, person.value];
  for (const each of chats) channels.set(each.id, each.channel);
  putOptions(chat, chats.map(({ id, title, channel }) => ({ value: id, label: `${title} (${channel})` })));
  putOptions(person, people.map(({ id, name, handle }) => ({ value: id, label: `${name} (${handle})` })));
  keep(chat, chosen[0]);
  keep(person, chosen[1]);
}

// What was chosen before; what is gone by now gives way to the first one that the server knows.
function keep(select, value) {
  const values = [...select.options].map((option) => option.value);
  select.value = value && values.includes(value) ? value : (select.querySelector("[data-own]") ?? select.options[0]).value;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  form.querySelector(".problem").textContent = "";
  try {
    draw(await api.explainAdmission({
      chat: chat.value,
      person: person.value || someoneNew(),
      text: text.value,
      addressed: addressed.checked || null, // Not ticked: as it is usual there, so alone with the bot it is meant.
    }));
  } catch (error) {
    answer.hidden = true;
    form.querySelector(".problem").textContent = error.message;
  }
});

// Of the same network as the chat: whoever decides there decides about them.
function someoneNew() {
  const network = (channels.get(chat.value) ?? "telegram").split(":")[0];
  return `${network}:new`;
}

function draw({ verdict, sentence, findings }) {
  answer.hidden = false;
  answer.dataset.verdict = verdict;
  answer.querySelector(".verdict-sentence").textContent = sentence;
  answer.querySelector("ul").replaceChildren(...findings.map((finding) => {
    const row = copyOf("finding-template");
    row.dataset.outcome = finding.outcome;
    row.querySelector(".finding-group").textContent = finding.group;
    row.querySelector(".finding-outcome").textContent = t(`console-outcome-${finding.outcome}`);
    row.querySelector(".finding-reason").textContent = finding.sentence;
    return row;
  }));
}
