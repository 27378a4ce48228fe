// What an agent does while its turn runs: tools, connections, tokens and money. Folded into one line when it is over.
import { copyOf, setIcon } from "./pieces.js";
import { compact, plural, t } from "./texts.js";

export class Activity {
  #turns = new Map(); // By turn: {element, tools, spent}. Kept as long as the page is open, also of rooms that were left.

  elementOf(turn) {
    return this.#turns.get(turn)?.element;
  }

  putTool(seen) {
    const { tools, element } = this.#of(seen.turn);
    if (!tools.has(seen.tool)) {
      tools.set(seen.tool, makeTool());
      element.querySelector("ol").append(tools.get(seen.tool).element);
    }
    drawTool(tools.get(seen.tool), seen);
  }

  putSpent(spent) {
    const { element } = Object.assign(this.#of(spent.turn), { spent });
    const amounts = { input: compact(spent.input), output: compact(spent.output), money: spent.money };
    element.querySelector(".spent").textContent = t("console-spent", amounts);
    element.querySelector(".spent").title = spent.model;
  }

  begin(turn) {
    const known = this.#turns.get(turn);
    if (!known) return;
    // It begins again, after the host was killed or the agent got stuck: what the first attempt did is in "Why?".
    known.tools.clear();
    known.element.querySelector("ol").replaceChildren();
    fold(known.element, false);
  }

  end(turn) {
    const known = this.#turns.get(turn);
    if (!known || known.element.classList.contains("over")) return;
    // A turn that was stopped leaves tools that nobody will hear of again.
    for (const tool of known.tools.values()) {
      if (tool.seen.state === "running") drawTool(tool, { ...tool.seen, state: "cut" });
    }
    known.element.querySelector(".sum").textContent = summary(known);
    fold(known.element, true);
  }

  #of(turn) {
    if (!this.#turns.has(turn)) this.#turns.set(turn, { element: copyOf("activity-template"), tools: new Map() });
    return this.#turns.get(turn);
  }
}

function fold(element, isOver) {
  element.classList.toggle("over", isOver);
  element.open = !isOver;
}

function summary({ element, tools, spent }) {
  const seen = [...tools.values()].map((tool) => tool.seen);
  const count = seen.filter(({ name }) => name !== "network").length || seen.length;
  if (!count) return element.querySelector(".spent").textContent;
  const used = t(`console-tools-${plural(count)}`, { count });
  return spent ? t("console-tools-and-spent", { tools: used, money: spent.money }) : used;
}

function makeTool() {
  const element = copyOf("tool-template");
  const tool = { element, isTouched: false };
  const head = element.querySelector("summary");
  head.addEventListener("click", (event) => {
    if (!tool.seen.text) event.preventDefault();
    tool.isTouched = true;
  });
  return tool;
}

// While a tool runs its output is in sight by itself, and goes again, unless the person has decided otherwise.
function drawTool(tool, seen) {
  const part = (selector) => tool.element.querySelector(selector);
  tool.seen = seen;
  tool.element.dataset.state = seen.state;
  setIcon(tool.element, { running: "gear", done: "check", failed: "cross" }[seen.state] ?? "stop");
  part(".tool-state").textContent = t(`console-tool-${seen.state}`);
  part(".tool-name").textContent = seen.name;
  part("code").textContent = part("code").title = seen.shown;
  part("summary").tabIndex = seen.text ? 0 : -1;
  const output = part("pre");
  if (output.textContent !== seen.text) {
    const isAtEnd = output.scrollHeight - output.scrollTop - output.clientHeight < 8;
    output.textContent = seen.text;
    if (isAtEnd) requestAnimationFrame(() => { output.scrollTop = output.scrollHeight; });
  }
  if (!tool.isTouched) part("details").open = seen.state === "running" && seen.text !== "";
}
