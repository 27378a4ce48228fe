// Draws what was written, in drawers of the old kind.
import { copyOf } from "./pieces.js";

// The text as nodes to be shown; without anything in it, the dots of someone who is writing.
export function content({ html, text }) {
  const { content } = document.createElement("template");
  if (html) {
    const parsed = document.createElement("template");
    parsed.innerHTML = html; // The server made this from Markdown and vouches for it.
    content.append(...parsed.content.children);
  } else if (text) {
    content.append(Object.assign(document.createElement("p"), { textContent: text }));
  }
  for (const pre of content.querySelectorAll("pre")) wrap(pre, copyOf("code-template"));
  for (const table of content.querySelectorAll("table")) wrap(table, copyOf("wide-template"));
  for (const link of content.querySelectorAll("a[href]")) {
    Object.assign(link, { target: "_blank", rel: "noopener noreferrer" });
  }
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

