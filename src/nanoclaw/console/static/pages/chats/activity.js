// What an agent does while its turn runs: tools, connections, tokens and money. Folded into one line when it is over.
import { compact, plural, t } from "../../texts.js";
import { batch, signal } from "../../vendor/index.js";

/**
 * `row` is the uid of the row that shows it.
 * @typedef {{ tools: import("../../vendor/index.js").Signal<import("api").Tool[]>,
 *   spent: import("../../vendor/index.js").Signal<import("api").Spent | null>,
 *   isOver: import("../../vendor/index.js").Signal<boolean>, row: import("../../vendor/index.js").Signal<number> }} Done
 */

export class Activity {
  /** @type {Map<string, Done>} By turn. Kept as long as the page is open, also of rooms that were left. */
  #turns = new Map();
  #count = signal(0);

  /** What the row shows of its turn, if anything. @param {string | null | undefined} turn @param {number} row */
  shownIn(turn, row) {
    if (!turn || !this.#count.value) return null;
    const done = this.#turns.get(turn);
    return done && done.row.value === row ? done : null;
  }

  /** @param {string} turn @param {number} row */
  place(turn, row) {
    const done = this.#turns.get(turn);
    if (done) done.row.value = row;
  }

  /** @param {import("api").Tool} seen */
  putTool(seen) {
    const { tools } = this.#of(seen.turn);
    const isKnown = tools.peek().some(({ tool }) => tool === seen.tool);
    tools.value = isKnown ? tools.peek().map((each) => each.tool === seen.tool ? seen : each) : [...tools.peek(), seen];
  }

  /** @param {import("api").Spent} spent */
  putSpent(spent) {
    this.#of(spent.turn).spent.value = spent;
  }

  /** It begins again, after the host was killed or the agent got stuck: what the first attempt did is in "Why?". @param {string} turn */
  begin(turn) {
    const done = this.#turns.get(turn);
    if (!done) return;
    batch(() => {
      done.tools.value = [];
      done.isOver.value = false;
    });
  }

  /** @param {string} turn */
  end(turn) {
    const done = this.#turns.get(turn);
    if (!done || done.isOver.peek()) return;
    batch(() => {
      // A turn that was stopped leaves tools that nobody will hear of again.
      done.tools.value = done.tools.peek().map((seen) => seen.state === "running" ? { ...seen, state: "cut" } : seen);
      done.isOver.value = true;
    });
  }

  /** @param {string} turn @returns {Done} */
  #of(turn) {
    const found = this.#turns.get(turn);
    if (found) return found;
    const fresh = { tools: signal([]), spent: signal(null), isOver: signal(false), row: signal(0) };
    this.#turns.set(turn, fresh);
    this.#count.value += 1;
    return fresh;
  }
}

/** @param {import("api").Spent | null} spent */
export const sumOf = (spent) =>
  spent ? t("console-spent", { input: compact(spent.input), output: compact(spent.output), money: spent.money }) : "";

/** One line when it is over: how many tools, and what it cost. @param {import("api").Tool[]} tools @param {import("api").Spent | null} spent */
export function summaryOf(tools, spent) {
  const count = tools.filter(({ name }) => name !== "network").length || tools.length;
  if (!count) return sumOf(spent);
  const used = t(`console-tools-${plural(count)}`, { count });
  return spent ? t("console-tools-and-spent", { tools: used, money: spent.money }) : used;
}
