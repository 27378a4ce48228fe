// The conversation: its rows in the order of their ids, day lines, and answers being written.
import { boot, dayKey, dayName } from "../../texts.js";
import { batch, signal } from "../../vendor/index.js";

/**
 * A line as the API gives it, or one that has no id yet: a message on its way, or an answer that is being written.
 * @typedef {Partial<import("api").Line> & { author: string, text: string, state: string, isUnderWay?: boolean, isStopping?: boolean }} Item
 */

/**
 * `uid` stays the row's own when a message that was sent gets its id, or an answer becomes whole. `around` is what
 * depends on the neighbours.
 * @typedef {{ uid: number, key: string, order: string, item: import("../../vendor/index.js").Signal<Item>,
 *   around: import("../../vendor/index.js").Signal<Around>, isArriving: boolean, isDoubtful: boolean }} Row
 * @typedef {{ day: string, continues: boolean, quote: string }} Around
 */

// The part of an id that sorts by time. Behind all of them comes a message on its way, and then what is being written:
// its answer gets an id only when it is whole, so that a reload shows it below whatever came while it grew.
const orderOf = (/** @type {string} */ id) => id.slice(id.indexOf("_") + 1);
const SENDING = "~";
const WRITING = "~~";

const SAME_BREATH = 5 * 60_000;
const UNANSWERED = ["stopped", "silent"];

let made = 0;

export class Timeline {
  rows = signal(/** @type {Row[]} */ ([]));
  #activity;

  /** @param {import("./activity.js").Activity} activity */
  constructor(activity) {
    this.#activity = activity;
  }

  get oldestId() { return this.#all.find((row) => row.item.peek().id)?.item.peek().id; }
  get newestId() { return this.#all.findLast((row) => row.item.peek().id)?.item.peek().id; }
  get #all() { return this.rows.peek(); }

  /** @param {string} id */
  has(id) {
    return Boolean(this.#find(id));
  }

  clear() {
    this.rows.value = [];
  }

  /** Adds or changes messages; returns those that were not here before. @param {import("api").Line[]} items */
  put(items, { arriving = false } = {}) {
    const added = items.filter((item) => !this.has(item.id));
    batch(() => {
      for (const item of items) this.#set(item.id, orderOf(item.id), item, arriving);
      this.#arrange();
    });
    return added;
  }

  /** @param {{ client_id: string, text: string }} message */
  putSending({ client_id: key, text }) {
    const at = new Date().toISOString();
    batch(() => {
      this.#set(key, SENDING, { author: "person", name: boot.owner, text, at, state: "sending" });
      this.#arrange();
    });
  }

  /**
   * Shows the answer of a turn as far as it is written; with no text yet, only that it has begun. When it was said is
   * known only when it is whole.
   * @param {string} turn
   */
  putDraft(turn, text = "", html = "") {
    const known = this.#find(draftKey(turn));
    const { isUnderWay = true, isStopping = false } = known?.item.peek() ?? {};
    const state = text ? "streaming" : "running";
    batch(() => {
      this.#set(draftKey(turn), WRITING + orderOf(turn), { author: "agent", name: "", turn, text, html, state, isUnderWay, isStopping });
      if (!known) this.#arrange();
    });
  }

  /** @param {string} turn @param {boolean} isOn */
  setTyping(turn, isOn) {
    if (isOn) this.#activity.begin(turn);
    else this.#activity.end(turn);
    const draft = this.#find(draftKey(turn));
    if (draft) change(draft, { isUnderWay: isOn, isStopping: isOn && draft.item.peek().isStopping });
    if (isOn && !draft) this.putDraft(turn);
    if (!isOn && draft && !draft.item.peek().text) this.drop(draft.key);
  }

  /** Tools, tokens and money of a turn go under its answer. While a tool runs, the answer is not being written. @param {string} turn */
  showActivity(turn, isToolRunning = false) {
    const draft = this.#find(draftKey(turn));
    if (!draft) return;
    if (isToolRunning && draft.item.peek().state !== "running") change(draft, { state: "running" });
    this.#placeActivity(draft);
  }

  get isUnderWay() { return this.#all.some(({ item }) => item.peek().isUnderWay && !item.peek().isStopping); }

  /** @param {boolean} isStopping */
  setStopping(isStopping) {
    for (const row of this.#all) if (row.item.peek().isUnderWay) change(row, { isStopping });
  }

  // After a broken stream: drafts the server does not mention again belong to turns that ended.
  doubtDrafts() {
    for (const row of this.#all) row.isDoubtful = row.key.startsWith(draftKey(""));
  }

  dropDoubtfulDrafts() {
    for (const row of this.#all.filter((row) => row.isDoubtful)) {
      this.#activity.end(row.item.peek().turn ?? "");
      this.drop(row.key);
    }
  }

  /** @param {string} key */
  drop(key) {
    const row = this.#find(key);
    if (!row) return;
    batch(() => {
      this.rows.value = this.#all.filter((each) => each !== row);
      this.#arrange();
    });
  }

  /** @param {string} key */
  #find(key) {
    return this.#all.find((row) => row.key === key);
  }

  /**
   * The row to take over: that in which the answer grew (also when the host says that it went wrong after all), or
   * from which the message was sent.
   * @param {Item} item
   */
  #findForerunner(item) {
    if (item.author !== "person") return item.turn ? this.#find(draftKey(item.turn)) : undefined;
    return this.#all.find(({ item: other }) => other.peek().state === "sending" && other.peek().text === item.text);
  }

  /** @param {string} key @param {string} order @param {Item} item */
  #set(key, order, item, arriving = true) {
    const row = this.#find(key) ?? (item.id && this.#findForerunner(item)) ?? undefined;
    const found = row || { uid: ++made, key, order: "", item: signal(item), around: signal(ALONE), isArriving: arriving, isDoubtful: false };
    Object.assign(found, { key, isDoubtful: false });
    found.item.value = item;
    if (found.order !== order) this.#place(found, order);
    this.#placeActivity(found);
  }

  /** @param {Row} row */
  #placeActivity(row) {
    const { author, id, state, turn } = row.item.peek();
    // A turn that ends without an answer leaves what it did with the question.
    if (!turn || (author === "person" && !UNANSWERED.includes(state))) return;
    if (id) this.#activity.end(turn);
    this.#activity.place(turn, row.uid);
  }

  /** @param {Row} row @param {string} order */
  #place(row, order) {
    row.order = order;
    const others = this.#all.filter((each) => each !== row);
    const index = others.findLastIndex((other) => other.order <= order) + 1;
    this.rows.value = others.toSpliced(index, 0, row);
  }

  // What depends on the neighbours: day lines, names said once, and which message is answered.
  #arrange() {
    /** @type {Item | undefined} */
    let before;
    for (const row of this.#all) {
      const item = row.item.peek();
      const isNewDay = !before || dayKey(timeOf(before)) !== dayKey(timeOf(item));
      // An answer right under its question, or under another answer to it, needs no quote.
      const answered = this.#answeredBy(item);
      const isClear = !answered || [before?.id, before?.reply_to].includes(answered);
      const around = {
        day: isNewDay ? dayName(timeOf(item)) : "",
        continues: !isNewDay && isSameBreath(before, item),
        quote: isClear ? "" : this.#find(answered)?.item.peek().text ?? "",
      };
      if (!isSame(row.around.peek(), around)) row.around.value = around;
      before = item;
    }
  }

  /**
   * An answer that is being written does not say it, but the message that it will answer knows the turn.
   * @param {Item} item
   */
  #answeredBy({ id, turn, reply_to: said }) {
    if (id || !turn) return said;
    return this.#all.map((row) => row.item.peek()).findLast((item) => item.id && item.author === "person" && item.turn === turn)?.id;
  }
}

const ALONE = { day: "", continues: false, quote: "" };

const draftKey = (/** @type {string} */ turn) => `turn:${turn}`;

/** @param {Row} row @param {Partial<Item>} changes */
function change(row, changes) {
  row.item.value = { ...row.item.peek(), ...changes };
  row.isDoubtful = false;
}

// What is being written is of now.
const timeOf = (/** @type {Item} */ { at }) => at ? Date.parse(at) : Date.now();

/** @param {Item | undefined} first @param {Item} second */
function isSameBreath(first, second) {
  const isSameVoice = first?.author === second.author && first.name === second.name;
  return isSameVoice && timeOf(second) - timeOf(first) < SAME_BREATH;
}

/** @param {Around} one @param {Around} other */
const isSame = (one, other) => one.day === other.day && one.continues === other.continues && one.quote === other.quote;
