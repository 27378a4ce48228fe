// Forms: fields with their labels, and a form that sends once, waits, and says what is wrong without losing what was written.
import { t } from "../texts.js";
import { html, useRef, useState } from "../vendor/index.js";
import { Problem } from "./problem.js";

/**
 * `onSubmit` gets the form's element and may throw an error made for the person. A button that is disabled would lose
 * the focus to nowhere, so it only waits.
 * @param {{ onSubmit: (form: HTMLFormElement) => unknown, submit: string, busyText?: string, onCancel?: () => void,
 *   action?: ReturnType<typeof useAction>, problemId?: string, onProblem?: () => void, class?: string, children?: unknown }
 *   & Record<string, unknown>} props `action` is given by callers that want to know its progress.
 */
export function Form({ onSubmit, submit, busyText = submit, onCancel, action, problemId, onProblem, class: name = "", children, ...rest }) {
  const own = useAction();
  const { isBusy, problem, run } = action ?? own;
  return html`
    <form class=${`form ${name}`} novalidate aria-busy=${isBusy ? "true" : null} ...${rest}
          onSubmit=${(/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            const form = /** @type {HTMLFormElement} */ (event.currentTarget);
            run(() => onSubmit(form)).then((isDone) => { if (isDone === false) onProblem?.(); });
          }}>
      ${children}
      <${Problem} text=${problem} id=${problemId} />
      <div class="buttons">
        ${onCancel && html`<button type="button" class="button" onClick=${onCancel}>${t("console-cancel")}</button>`}
        <button type="submit" class="button primary">${isBusy ? busyText : submit}</button>
      </div>
    </form>`;
}

/**
 * Something that is done at the host: not twice at once, and what goes wrong is told.
 * @returns {{ isBusy: boolean, problem: string, setProblem: (text: string) => void, run: (act: () => unknown) => Promise<boolean> }}
 */
export function useAction() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const isRunning = useRef(false); // The state would come too late for a second click.

  async function run(/** @type {() => unknown} */ act) {
    if (isRunning.current) return false;
    isRunning.current = true;
    setBusy(true);
    setProblem("");
    try {
      await act();
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  }

  return { isBusy, problem, setProblem, run };
}

/**
 * A labelled field: an input by default, a textarea with `rows`, a select with `choices`.
 * @param {{ label: string, hint?: string, class?: string, choices?: { value: string, text: string }[], rows?: number } & Record<string, unknown>} props
 */
export function Field({ label, hint, class: name = "", choices, rows, ...rest }) {
  let control = html`<input dir="auto" autocomplete="off" ...${rest} />`;
  if (choices) {
    control = html`
      <select ...${rest}>
        ${choices.map(({ value, text }) => html`<option key=${value} value=${value} selected=${value === rest.value}>${text}</option>`)}
      </select>`;
  } else if (rows) control = html`<textarea dir="auto" rows=${rows} ...${rest}></textarea>`;
  return html`
    <label class=${`field ${name}`}>${label}${control}${hint && html`<span class="quiet">${hint}</span>`}</label>`;
}

/** @param {{ label: string } & Record<string, unknown>} props */
export const Tick = ({ label, ...rest }) => html`
  <label class="tick"><input type="checkbox" ...${rest} /> ${label}</label>`;
