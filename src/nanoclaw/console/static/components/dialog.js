// Dialogs: the one in which a person is asked, and the question before power is given or taken.
import { path } from "../router.js";
import { t } from "../texts.js";
import { html, signal, useEffect, useRef } from "../vendor/index.js";
import { useAction } from "./form.js";
import { Problem } from "./problem.js";

let ids = 0;

/**
 * A modal dialog, open as long as it is drawn. Escape and a click beside it close it, as its own buttons do.
 * @param {{ title: string, onClose: () => void, role?: string, class?: string, describedBy?: string, children?: unknown }} props
 */
export function Dialog({ title, onClose, role, class: name = "small-dialog", describedBy, children }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useRef(`dialog-${++ids}`).current;
  useEffect(() => {
    const dialog = /** @type {HTMLDialogElement} */ (element.current);
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      // It has gone from the page by now, and can no longer give the focus back to where it came from.
      if (before instanceof HTMLElement && !document.activeElement?.closest("#app")) before.focus();
    };
  }, []);
  return html`
    <dialog ref=${element} class=${name} role=${role} aria-labelledby=${id} aria-describedby=${describedBy}
            onCancel=${(/** @type {Event} */ event) => {
              event.preventDefault();
              onClose();
            }}
            onClick=${(/** @type {MouseEvent} */ event) => { if (event.target === element.current) onClose(); }}>
      <div class="dialog-body">
        <h2 id=${id} dir="auto">${title}</h2>
        ${children}
      </div>
    </dialog>`;
}

// The question before something heavy

/**
 * @typedef {{ title: string, sentence: string, act: string, cancel?: string, quote?: string, run?: () => unknown }} Doubt
 * `run` is done while the dialog is still open: what goes wrong is told in it.
 */

const asked = signal(/** @type {(Doubt & { tell: (isMeant: boolean) => void }) | null} */ (null));

/**
 * Asks once more, in words that say what would happen. True when the person wants it; closed in any other way than by
 * its button, nothing happens.
 * @param {Doubt} doubt
 * @returns {Promise<boolean>}
 */
export function isMeant(doubt) {
  asked.peek()?.tell(false);
  return new Promise((tell) => { asked.value = { ...doubt, tell }; });
}

/** Stands once, in the frame of the page. */
export function Doubts() {
  const doubt = asked.value;
  return doubt && html`<${DoubtDialog} key=${doubt} doubt=${doubt} />`;
}

/** @param {{ doubt: NonNullable<typeof asked.value> }} props */
function DoubtDialog({ doubt }) {
  const { isBusy, problem, run } = useAction();
  const end = (/** @type {boolean} */ isMeant) => {
    if (asked.peek() === doubt) asked.value = null;
    doubt.tell(isMeant);
  };
  const close = () => { if (!isBusy) end(false); }; // What is on its way cannot be called back.
  useEffect(() => {
    const here = path.peek();
    return path.subscribe((now) => { if (now !== here) end(false); }); // It asked about something of the page that was left.
  }, []);
  return html`
    <${Dialog} title=${doubt.title} role="alertdialog" describedBy="doubt-sentence" onClose=${close}>
      ${doubt.quote && html`<blockquote dir="auto">${doubt.quote}</blockquote>`}
      <p id="doubt-sentence">${doubt.sentence}</p>
      <${Problem} text=${problem} />
      <div class="buttons">
        <button type="button" class="button" onClick=${close}>${doubt.cancel ?? t("console-cancel")}</button>
        <button type="button" class="button danger"
                onClick=${async () => { if (await run(async () => doubt.run?.())) end(true); }}>${doubt.act}</button>
      </div>
    <//>`;
}
