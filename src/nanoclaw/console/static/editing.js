// What can be edited in place: lists that follow what is stored, and changes that are told when they are refused.
import { copyOf } from "./pieces.js";

// One element for each item, known by `keyOf`. Those that are there are redrawn and, while the person is in the list,
// stay where they are: moving one would take the focus from it.
export function putAll(list, items, { keyOf, template, draw }) {
  const known = new Map([...list.children].map((element) => [element.dataset.key, element]));
  const isInUse = list.contains(document.activeElement);
  let last = null;
  for (const item of items) {
    const key = keyOf(item);
    const found = known.get(key);
    const element = found ?? copyOf(template);
    known.delete(key);
    element.dataset.key = key;
    draw(element, item);
    if (!found || !isInUse) putAfter(list, last, element);
    last = element;
  }
  for (const gone of known.values()) gone.remove();
}

function putAfter(list, last, element) {
  const next = last ? last.nextElementSibling : list.firstElementChild;
  if (next !== element) list.insertBefore(element, next);
}

// Sends a change of what a card shows. `take` gets the answer; a refusal is told in `place`, the card or a row in it,
// after `goBack` has drawn what is stored, and stays until a later change of the card succeeds. One after the other, so that each answer holds all that was changed
// before it; only the last one is drawn, or it would take back what the person has just chosen.
export async function save(place, send, take, goBack) {
  const card = place.closest(".card");
  const mine = (saves.get(card) ?? 0) + 1;
  const isLast = () => saves.get(card) === mine;
  saves.set(card, mine);
  card.ariaBusy = "true";
  complain(place, "");
  const told = [...card.querySelectorAll(".problem")].filter((problem) => problem.textContent);
  const sent = before.then(send);
  before = sent.catch(() => {});
  try {
    const answer = await sent;
    for (const problem of told) problem.textContent = "";
    if (isLast()) take(answer);
  } catch (error) {
    goBack();
    complain(place, error.message);
  } finally {
    if (isLast()) card.ariaBusy = null;
  }
}

const saves = new WeakMap(); // By card: how many there were.
let before = Promise.resolve();

export function complain(row, problem) {
  const line = row.querySelector(":scope > .problem");
  line.textContent = problem;
  if (problem) line.scrollIntoView({ block: "nearest" }); // On a phone the row is longer than what is in sight.
}

// Options of a select: those that come from the server, after those that the page has.
export function putOptions(select, items) {
  for (const option of select.querySelectorAll("[data-own]")) option.remove();
  select.append(...items.map(({ value, label }) => {
    const option = new Option(label, value);
    option.dataset.own = "";
    return option;
  }));
}

// Shows only the rows whose words hold all that is written in the field.
export function filterBy(field, list) {
  const words = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  for (const row of list.children) {
    const text = row.dataset.words.toLocaleLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
}
