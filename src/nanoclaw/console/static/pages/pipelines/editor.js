// The text of a template with its lines numbered, beside it its mistakes and its picture.
import { post } from "../../call.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { Mistakes } from "./mistakes.js";
import { Picture } from "./picture.js";

/** @import { CheckedTemplate } from "api" */
/**
 * @typedef {{ data: CheckedTemplate | null, problem: string, isFresh: boolean, look: () => Promise<void>,
 *   latest: () => CheckedTemplate | null }} Checked
 */

const PAUSE = 300; // Milliseconds after the last letter.

/**
 * Has the host check the text when the person pauses. `name` is that of its file; `first` is what is known already.
 * @param {string} text
 * @param {string} name
 * @param {CheckedTemplate & { text: string } | null} [first]
 * @returns {Checked}
 */
export function useChecked(text, name, first = null) {
  const [state, setState] = useState({ data: /** @type {CheckedTemplate | null} */ (first), problem: "", of: first?.text ?? null });
  const newest = useRef(state);
  const wanted = useRef({ text, name });
  wanted.current = { text, name };

  const keep = (/** @type {typeof state} */ now) => {
    newest.current = now;
    setState(now);
  };
  async function look() {
    const asked = wanted.current;
    try {
      const data = await post("/api/pipelines/check", {}, asked);
      if (wanted.current.text === asked.text) keep({ data, problem: "", of: asked.text });
    } catch (error) {
      if (wanted.current.text === asked.text) keep({ ...newest.current, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  useEffect(() => {
    if (text === newest.current.of) return undefined;
    const timer = setTimeout(look, PAUSE);
    return () => clearTimeout(timer);
  }, [text, name]);
  return { data: state.data, problem: state.problem, isFresh: state.of === text, look, latest: () => newest.current.data };
}

/** @param {{ text: string, onText: (text: string) => void, checked: Checked }} props */
export function Editor({ text, onText, checked }) {
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const gutter = useRef(/** @type {HTMLElement | null} */ (null));
  const { data, problem } = checked;
  const wrong = new Set(data?.mistakes.map(({ line }) => line));

  function goTo(/** @type {number} */ line) {
    const field = area.current;
    if (!field) return;
    const lines = field.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    field.focus();
    field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    field.scrollTop = (line - 4) * (field.scrollHeight / lines.length);
  }

  return html`
    <div class="editor">
      <div class="editor-text">
        <ol class="gutter" aria-hidden="true" ref=${gutter}>
          ${text.split("\n").map((_, index) => html`<li key=${index} class=${wrong.has(index + 1) ? "wrong" : null}>${index + 1}</li>`)}
        </ol>
        <textarea wrap="off" spellcheck="false" autocapitalize="off" autocomplete="off" dir="ltr" aria-label=${t("console-pipeline-text")}
                  aria-invalid=${wrong.size ? "true" : null} aria-describedby="editor-verdict" ref=${area} value=${text}
                  onInput=${(/** @type {any} */ { target }) => onText(target.value)}
                  onScroll=${() => { if (gutter.current && area.current) gutter.current.scrollTop = area.current.scrollTop; }}></textarea>
      </div>
      <div class="editor-side" aria-busy=${checked.isFresh ? null : "true"}>
        <p id="editor-verdict" role="status" class=${data && !data.ok ? "problem" : "done"}>${verdict(data, problem)}</p>
        ${data && html`<${Mistakes} mistakes=${data.mistakes} onLine=${goTo} />`}
        ${data && html`<${Picture} steps=${data.steps} rows=${data.rows} />`}
      </div>
    </div>`;
}

/** @param {CheckedTemplate | null} data @param {string} problem */
function verdict(data, problem) {
  if (problem || !data) return problem || t("console-loading");
  return data.ok ? t("console-pipeline-sound", { count: data.steps.length }) : t("console-pipeline-mistakes", { count: data.mistakes.length });
}
