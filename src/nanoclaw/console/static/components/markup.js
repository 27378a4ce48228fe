// What was written, as the host rendered it: Markdown that became safe HTML on the server, turned into our own elements.
//
// The HTML is parsed in a document that runs nothing, and only its elements and a few attributes are taken over. An
// answer that grows changes only its last block this way: selection and sideways scroll of the others stay.
import { t } from "../texts.js";
import { h, html, useMemo, useRef, useState } from "../vendor/index.js";

/** @param {{ source?: string | null, text?: string | null }} props `source` is the server's HTML; without it, `text` as it is. */
export function Markup({ source, text }) {
  const made = useMemo(() => source ? convert(parse(source).children) : null, [source]);
  return made ?? (text ? html`<p>${text}</p>` : null);
}

/** @param {string} source */
const parse = (source) => new DOMParser().parseFromString(source, "text/html").body;

/** How it reads without its marks. @param {string} source */
export const plainText = (source) => (parse(source).textContent ?? "").trim();

const KEPT = ["href", "title", "src", "alt", "start", "align"];
const DIRECTED = ["ul", "ol", "blockquote", "table"]; // Where bullets, bars and columns stand follows the text inside.

/** @param {Iterable<Node>} nodes @returns {any[]} */
const convert = (nodes) => [...nodes].map((node) => node instanceof Element ? drawElement(node) : node.textContent);

/** @param {Element} element */
function drawElement(element) {
  const name = element.localName;
  /** @type {Record<string, string>} */
  const props = {};
  for (const { name: key, value } of element.attributes) if (KEPT.includes(key)) props[key] = value;
  if (name === "a") Object.assign(props, { target: "_blank", rel: "noopener noreferrer" });
  if (DIRECTED.includes(name)) props.dir = "auto";
  const drawn = h(name, props, convert(element.childNodes));
  if (name === "pre") return html`<${Code}>${drawn}<//>`;
  if (name === "table") return html`<div class="wide" role="region" tabindex="0" aria-label=${t("console-table")}>${drawn}</div>`;
  return drawn;
}

/** @param {{ children?: unknown }} props */
function Code({ children }) {
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  return html`<div class="code" ref=${frame}>${children}<${CopyButton} class="copy" of=${() => frame.current?.querySelector("pre")} /></div>`;
}

const A_MOMENT = 2000;

/**
 * Copies the text of an element.
 * @param {{ of: () => HTMLElement | null | undefined, class?: string }} props
 */
export function CopyButton({ of, class: name = "button" }) {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    const element = of();
    if (!element) return;
    try {
      await navigator.clipboard.writeText(element.innerText);
    } catch {
      // Plain http to another computer has no clipboard API; the old command still works there.
      getSelection()?.selectAllChildren(element);
      document.execCommand("copy");
    }
    setCopied(true);
    setTimeout(() => setCopied(false), A_MOMENT);
  }
  return html`<button type="button" class=${name} onClick=${copy}>${t(isCopied ? "console-copied" : "console-copy")}</button>`;
}
