// Draws what an agent does: a quiet list while it works, one line that opens when it is done.
import { Icon } from "../../components/icon.js";
import { t } from "../../texts.js";
import { html, useLayoutEffect, useRef, useState } from "../../vendor/index.js";
import { sumOf, summaryOf } from "./activity.js";

/** @param {{ done: import("./activity.js").Done }} props */
export function ActivityView({ done }) {
  const [tools, spent, isOver] = [done.tools.value, done.spent.value, done.isOver.value];
  return html`
    <${Fold} key=${isOver} class=${isOver ? "activity over" : "activity"} isOpen=${!isOver}
             head=${html`<span class="sum">${isOver ? summaryOf(tools, spent) : ""}</span>`}>
      <ol aria-label=${t("console-activity")}>${tools.map((seen) => html`<${Tool} key=${seen.tool} seen=${seen} />`)}</ol>
      <p class="spent" title=${spent?.model}>${sumOf(spent)}</p>
    <//>`;
}

const ICONS = /** @type {Record<string, string>} */ ({ running: "gear", done: "check", failed: "cross" });

/** While a tool runs its output is in sight by itself, and goes again, unless the person has decided otherwise. @param {{ seen: import("api").Tool }} props */
function Tool({ seen }) {
  const head = html`
    <${Icon} name=${ICONS[seen.state] ?? "stop"} />
    <span class="tool-state unseen">${t(`console-tool-${seen.state}`)}</span>
    <b class="tool-name">${seen.name}</b>
    <code title=${seen.shown}>${seen.shown}</code>`;
  return html`
    <li class="tool" data-state=${seen.state}>
      <${Fold} isOpen=${seen.state === "running" && seen.text !== ""} isEmpty=${seen.text === ""} head=${head}>
        <${Output} text=${seen.text} />
      <//>
    </li>`;
}

/** @param {{ text: string }} props */
function Output({ text }) {
  const output = useRef(/** @type {any} */ (null));
  const isAtEnd = useRef(true);
  useLayoutEffect(() => { if (isAtEnd.current) output.current.scrollTop = output.current.scrollHeight; }, [text]);
  const note = () => {
    const { scrollHeight, scrollTop, clientHeight } = output.current;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8;
  };
  return html`<pre tabindex="0" role="region" aria-label=${t("console-tool-output")} ref=${output} onScroll=${note}>${text}</pre>`;
}

/** Opens and closes by itself until the person does it. @param {{ isOpen: boolean, isEmpty?: boolean, head: unknown, class?: string, children?: unknown }} props */
function Fold({ isOpen, isEmpty = false, head, class: name, children }) {
  const [chosen, setChosen] = useState(/** @type {boolean | null} */ (null));
  const isShown = chosen ?? isOpen;
  const toggle = (/** @type {Event} */ event) => {
    event.preventDefault();
    setChosen(isEmpty ? chosen : !isShown);
  };
  return html`
    <details class=${name} open=${isShown}>
      <summary tabindex=${isEmpty ? -1 : 0} onClick=${toggle}>${head}</summary>
      ${children}
    </details>`;
}
