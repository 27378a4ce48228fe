// The box to write in: drafts kept per room, Enter sends, Escape stops the agent, and what could not be sent comes back.
import { newMessage } from "./outbox.js";
import { t } from "./texts.js";

export function makeComposer(form, send, stop) {
  const box = form.elements.text;
  const problem = form.querySelector(".problem");
  const returned = new Map(); // By room: the {message, problem} that came back.
  let room;

  const readDraft = (id) => sessionStorage.getItem(`draft:${id}`) ?? "";
  const writeDraft = (id, text) => sessionStorage.setItem(`draft:${id}`, text);

  function show(text, trouble = "") {
    if (box.value !== text) box.value = text;
    box.parentElement.dataset.text = text; // Gives the box its height, see app.css.
    form.classList.toggle("ready", text.trim() !== "");
    problem.textContent = trouble;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    box.focus();
    const text = box.value.trim();
    if (!text) return;
    // The same text sent again keeps its client_id: had it arrived after all, it will not arrive twice.
    const before = returned.get(room)?.message;
    send(before?.text === text ? before : newMessage(text));
    returned.delete(room);
    writeDraft(room, "");
    show("");
  });
  box.addEventListener("input", () => {
    show(box.value);
    writeDraft(room, box.value);
  });
  box.addEventListener("keydown", (event) => {
    // While an input method composes a word, these keys belong to it.
    if (event.isComposing) return;
    if (event.key === "Escape") stop();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    form.requestSubmit();
  });

  function enter(id) {
    room = id;
    form.hidden = false;
    show(readDraft(id), returned.get(id)?.problem);
    focus();
  }

  // On a phone the focus would raise the keyboard over half of the conversation.
  function focus() {
    if (matchMedia("(pointer: fine)").matches) box.focus();
  }

  function giveBack(id, message, error) {
    writeDraft(id, [readDraft(id), message.text].filter(Boolean).join("\n\n"));
    returned.set(id, { message, problem: t("console-error-sending", { error: error.message }) });
    if (id === room) enter(id);
  }

  // The host is there again: what it could not be given still stands in the box, but "not sent" is over.
  function recover() {
    const unreachable = t("console-error-sending", { error: t("console-error-network") });
    for (const back of returned.values()) if (back.problem === unreachable) back.problem = "";
    if (problem.textContent === unreachable) problem.textContent = "";
  }

  function complain(error) {
    problem.textContent = t("console-error-sending", { error: error.message });
  }

  return { enter, focus, giveBack, complain, recover };
}
