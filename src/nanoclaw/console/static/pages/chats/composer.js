// The box to write in: drafts kept per room, Enter sends, Escape stops the agent, and what could not be sent comes back.
import { Icon } from "../../components/icon.js";
import { visits } from "../../router.js";
import { t } from "../../texts.js";
import { html, signal, useEffect } from "../../vendor/index.js";
import { newMessage } from "./outbox.js";
import { openRoom } from "./rooms.js";

/** @typedef {import("./outbox.js").Message} Message */

const text = signal("");
const problem = signal("");

/** @type {Map<string, { message: Message, problem: string }>} By room: what came back. */
const returned = new Map();

const readDraft = (/** @type {string} */ room) => sessionStorage.getItem(`draft:${room}`) ?? "";
const writeDraft = (/** @type {string} */ room, /** @type {string} */ draft) => sessionStorage.setItem(`draft:${room}`, draft);

const unreachable = () => t("console-error-sending", { error: t("console-error-network") });

const show = (/** @type {string} */ draft, trouble = "") => {
  text.value = draft;
  problem.value = trouble;
};

/** @param {string} room */
export function enter(room) {
  show(readDraft(room), returned.get(room)?.problem);
  welcome();
}

// A person who uses the keyboard while the first page still loads keeps the focus where they put it.
function welcome() {
  if (visits.peek() || document.activeElement === document.body) focus();
}

// On a phone the focus would raise the keyboard over half of the conversation.
export function focus() {
  if (matchMedia("(pointer: fine)").matches) document.getElementById("text")?.focus();
}

/** @param {string} room @param {Message} message @param {Error} error */
export function giveBack(room, message, error) {
  writeDraft(room, [readDraft(room), message.text].filter(Boolean).join("\n\n"));
  returned.set(room, { message, problem: t("console-error-sending", { error: error.message }) });
  if (room === openRoom.peek()) enter(room);
}

// The host is there again: what it could not be given still stands in the box, but "not sent" is over.
export function recover() {
  for (const back of returned.values()) if (back.problem === unreachable()) back.problem = "";
  if (problem.peek() === unreachable()) problem.value = "";
}

/** @param {Error} error */
export function complain(error) {
  problem.value = t("console-error-sending", { error: error.message });
}

/** @param {{ send: (message: Message) => void, stop: () => void }} props */
export function Composer({ send, stop }) {
  const room = openRoom.value;
  useEffect(welcome, [room]);

  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    const box = /** @type {HTMLTextAreaElement} */ (document.getElementById("text"));
    box.focus();
    const written = box.value.trim();
    if (!written) return;
    // The same text sent again keeps its client_id: had it arrived after all, it will not arrive twice.
    const before = returned.get(room)?.message;
    send(before?.text === written ? before : newMessage(written));
    returned.delete(room);
    writeDraft(room, "");
    show("");
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.isComposing) return; // While an input method composes a word, these keys belong to it.
    if (event.key === "Escape") stop();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    /** @type {HTMLTextAreaElement} */ (event.currentTarget).form?.requestSubmit();
  }

  return html`
    <form id="composer" class=${text.value.trim() ? "ready" : null} onSubmit=${submit}>
      <p class="problem" role="alert">${problem.value}</p>
      <div class="writing">
        <label class="grow" data-text=${text.value}>
          <span class="unseen">${t("console-composer-label")}</span>
          <textarea id="text" name="text" rows="1" dir="auto" enterkeyhint="send" autocomplete="off"
                    placeholder=${t("console-composer-label")} value=${text.value} onKeyDown=${press}
                    onInput=${(/** @type {any} */ { target }) => {
                      show(target.value);
                      writeDraft(room, target.value);
                    }}></textarea>
        </label>
        <button class="send" type="submit" aria-label=${t("console-send")} title=${t("console-send")}><${Icon} name="send" /></button>
      </div>
      <p class="hint">${t("console-composer-hint")}</p>
    </form>`;
}
