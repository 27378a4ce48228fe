// The conversation on the screen: its rows in the order of their ids, day lines, and answers being written.
import { copyOf } from "./pieces.js";
import { boot, dayKey, dayName } from "./texts.js";
import { drawRow } from "./view.js";

// The part of an id that sorts by time. Behind all of them comes a message on its way, and then what is being written:
// its answer gets an id only when it is whole, so that a reload shows it below whatever came while it grew.
const orderOf = (id) => id.slice(id.indexOf("_") + 1);
const SENDING = "~";
const WRITING = "~~";

const SAME_BREATH = 5 * 60_000;
const UNANSWERED = ["stopped", "silent"];

export class Timeline {
  #list;
  #activity;
  #rows = []; // Each {key, order, item, element}, in the order of the screen.

  constructor(list, activity) {
    this.#list = list;
    this.#activity = activity;
  }

  get oldestId() { return this.#rows.find((row) => row.item.id)?.item.id; }
  get newestId() { return this.#rows.findLast((row) => row.item.id)?.item.id; }

  has(id) {
    return Boolean(this.#find(id));
  }

  clear() {
    this.#rows = [];
    this.#list.replaceChildren();
  }

  // Adds or changes messages; returns those that were not here before.
  put(items, { arriving = false } = {}) {
    const added = items.filter((item) => !this.has(item.id));
    for (const item of items) this.#set(item.id, orderOf(item.id), item, arriving);
    this.#arrange();
    return added;
  }

  putSending({ client_id: key, text }) {
    const at = new Date().toISOString();
    this.#set(key, SENDING, { author: "person", name: boot.owner, text, at, state: "sending" });
    this.#arrange();
  }

  // Shows the answer of a turn as far as it is written; with no text yet, only that it has begun.
  // When it was said is known only when it is whole.
  putDraft(turn, text = "", html = "") {
    const known = this.#find(draftKey(turn));
    const state = text ? "streaming" : "running";
    const { isUnderWay = true, isStopping = false } = known?.item ?? {};
    const item = { author: "agent", name: "", turn, text, html, state, isUnderWay, isStopping };
    this.#set(draftKey(turn), WRITING + orderOf(turn), item);
    if (!known) this.#arrange();
  }

  setTyping(turn, isOn) {
    if (isOn) this.#activity.begin(turn);
    else this.#activity.end(turn);
    const draft = this.#find(draftKey(turn));
    if (draft) this.#change(draft, { isUnderWay: isOn, isStopping: isOn && draft.item.isStopping });
    if (isOn && !draft) this.putDraft(turn);
    if (!isOn && draft && !draft.item.text) this.drop(draft.key);
  }

  // Tools, tokens and money of a turn go under its answer. While a tool runs, the answer is not being written.
  showActivity(turn, isToolRunning = false) {
    const draft = this.#find(draftKey(turn));
    if (!draft) return;
    if (isToolRunning && draft.item.state !== "running") this.#change(draft, { state: "running" });
    this.#placeActivity(draft);
  }

  get isUnderWay() { return this.#rows.some(({ item }) => item.isUnderWay && !item.isStopping); }

  setStopping(isStopping) {
    for (const row of this.#rows) if (row.item.isUnderWay) this.#change(row, { isStopping });
  }

  // After a broken stream: drafts the server does not mention again belong to turns that ended.
  doubtDrafts() {
    for (const row of this.#rows) row.isDoubtful = row.key.startsWith(draftKey(""));
  }

  dropDoubtfulDrafts() {
    for (const row of this.#rows.filter((row) => row.isDoubtful)) {
      this.#activity.end(row.item.turn);
      this.drop(row.key);
    }
  }

  drop(key) {
    const row = this.#find(key);
    if (!row) return;
    this.#rows.splice(this.#rows.indexOf(row), 1);
    row.element.remove();
    this.#arrange();
  }

  #find(key) {
    return this.#rows.find((row) => row.key === key);
  }

  // The row to take over: that in which the answer grew (also when the host says that it went wrong after all),
  // or from which the message was sent.
  #findForerunner(item) {
    if (item.author !== "person" && item.turn) return this.#find(draftKey(item.turn));
    if (item.author === "person") return this.#rows.find((row) => row.item.state === "sending" && row.item.text === item.text);
  }

  #set(key, order, item, arriving = true) {
    let row = this.#find(key) ?? (item.id && this.#findForerunner(item));
    if (!row) {
      row = { element: copyOf("row-template") };
      row.element.classList.toggle("arriving", arriving);
    }
    Object.assign(row, { key, item, isDoubtful: false });
    drawRow(row.element, item);
    this.#placeActivity(row);
    if (row.order !== order) this.#place(row, order);
  }

  #change(row, changes) {
    Object.assign(row, { item: { ...row.item, ...changes }, isDoubtful: false });
    drawRow(row.element, row.item);
  }

  #placeActivity({ item, element }) {
    const isOver = Boolean(item.id);
    // A turn that ends without an answer leaves what it did with the question.
    if (!item.turn || (item.author === "person" && !UNANSWERED.includes(item.state))) return;
    if (isOver) this.#activity.end(item.turn);
    const slot = element.querySelector(".activity-slot");
    const found = this.#activity.elementOf(item.turn);
    // Moving it to where it is would lose its focus and what is scrolled in it.
    if (found && found.parentElement !== slot) slot.replaceChildren(found);
  }

  #place(row, order) {
    row.order = order;
    const was = this.#rows.indexOf(row);
    if (was >= 0) this.#rows.splice(was, 1);
    const index = this.#rows.findLastIndex((other) => other.order <= order) + 1;
    this.#rows.splice(index, 0, row);
    // Moving an element, even to where it is, would restart its animation and lose its focus.
    if (index !== was) this.#list.insertBefore(row.element, this.#rows[index + 1]?.element ?? null);
  }

  // What depends on the neighbours: day lines, names said once, and which message is answered.
  #arrange() {
    for (const line of this.#list.querySelectorAll(".day")) line.remove();
    let before;
    for (const { item, element } of this.#rows) {
      const isNewDay = !before || dayKey(timeOf(before)) !== dayKey(timeOf(item));
      if (isNewDay) element.before(dayLine(timeOf(item)));
      element.classList.toggle("continues", !isNewDay && isSameBreath(before, item));
      // An answer right under its question, or under another answer to it, needs no quote.
      const answered = this.#answeredBy(item);
      const isClear = !answered || [before?.id, before?.reply_to].includes(answered);
      element.querySelector(".quote").textContent = isClear ? "" : this.#find(answered)?.item.text;
      before = item;
    }
  }

  // An answer that is being written does not say it, but the message that it will answer knows the turn.
  #answeredBy({ id, turn, reply_to: said }) {
    if (id || !turn) return said;
    return this.#rows.findLast(({ item }) => item.id && item.author === "person" && item.turn === turn)?.item.id;
  }
}

const draftKey = (turn) => `turn:${turn}`;

// What is being written is of now.
const timeOf = ({ at }) => at ? Date.parse(at) : Date.now();

function isSameBreath(first, second) {
  const isSameVoice = first.author === second.author && first.name === second.name;
  return isSameVoice && timeOf(second) - timeOf(first) < SAME_BREATH;
}

function dayLine(at) {
  const line = copyOf("day-template");
  line.firstElementChild.textContent = dayName(at);
  return line;
}
