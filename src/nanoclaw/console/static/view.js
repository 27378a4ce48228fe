// Draws one message of the conversation, and redraws it in place when the message changes.
import { drawButtons } from "./cards.js";
import { showFiles } from "./files.js";
import { copyOf, setTime } from "./pieces.js";
import { clock, t } from "./texts.js";

// An answered or delivered message speaks for itself; these states need a word.
const NAMED_STATES = [
  "sending", "waiting", "running", "streaming", "refused", "failed", "silent", "stopped", "pending", "held", "kept", "dropped",
];

// The agent and the host have no names of their own; they are called what they are, in the person's language.
export function nameOf({ author, name }) {
  return name || t(author === "agent" ? "console-agent" : "console-product");
}

export function drawRow(row, item) {
  const part = (selector) => row.querySelector(selector);
  Object.assign(row.dataset, { author: item.author, state: item.state, id: item.id ?? "" });
  part(".name bdi").textContent = nameOf(item);
  replaceChanged(part(".bubble"), content(item));
  drawButtons(row, item.buttons);
  part("time").hidden = !item.at;
  if (item.at) setTime(part("time"), item.at, clock(item.at));
  part(".state").textContent = stateText(item);
  part("[data-action=retry]").hidden = item.state !== "failed";
  part("[data-action=retry]").disabled = false;
  // What an agent says between answers belongs to no message, so there is nothing to explain.
  part("[data-action=why]").hidden = !item.id || item.author === "host" || (item.author === "agent" && !item.reply_to);
  part("[data-action=stop]").hidden = !item.isUnderWay;
  part("[data-action=stop]").disabled = Boolean(item.isStopping);
}

function stateText({ state, place }) {
  if (state === "waiting" && place) return t("console-state-waiting-place", { place });
  return NAMED_STATES.includes(state) ? t(`console-state-${state}`) : "";
}

// The text as nodes to be shown; without anything in it, the dots of someone who is writing.
export function content({ html, text, attachments = [] }) {
  const { content } = document.createElement("template");
  if (html) {
    const parsed = document.createElement("template");
    parsed.innerHTML = html; // The server made this from Markdown and vouches for it.
    content.append(...parsed.content.children);
  } else if (text) {
    content.append(Object.assign(document.createElement("p"), { textContent: text }));
  } else if (attachments.length === 0) {
    content.append(copyOf("dots-template"));
  }
  for (const pre of content.querySelectorAll("pre")) wrap(pre, copyOf("code-template"));
  for (const table of content.querySelectorAll("table")) wrap(table, copyOf("wide-template"));
  for (const link of content.querySelectorAll("a[href]")) {
    Object.assign(link, { target: "_blank", rel: "noopener noreferrer" });
  }
  content.append(...showFiles(attachments));
  // Where bullets, bars and columns stand follows the text inside; app.css does it for paragraphs.
  for (const block of content.querySelectorAll("ul, ol, blockquote, table")) block.dir = "auto";
  return content;
}

function wrap(element, frame) {
  element.replaceWith(frame);
  frame.prepend(element);
}

// While an answer grows only its last block changes; leaving the others alone keeps the
// person's selection and the sideways scroll of tables, and gives the browser less to do.
export function replaceChanged(target, fragment) {
  const fresh = [...fragment.childNodes];
  fresh.forEach((node, index) => {
    const old = target.childNodes[index];
    if (!old) target.append(node);
    else if (!old.isEqualNode(node)) old.replaceWith(node);
  });
  while (target.childNodes.length > fresh.length) target.lastChild.remove();
}

export async function copyCode(button) {
  const code = button.parentElement.querySelector("pre");
  try {
    await navigator.clipboard.writeText(code.innerText);
  } catch {
    // Plain http to another computer has no clipboard API; the old command still works there.
    getSelection().selectAllChildren(code);
    document.execCommand("copy");
  }
  button.textContent = t("console-copied");
  setTimeout(() => { button.textContent = t("console-copy"); }, 2000);
}
