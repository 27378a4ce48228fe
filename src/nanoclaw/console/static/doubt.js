// Asks once more before something heavy happens, in words that say what would happen.
import { byId } from "./pieces.js";

const dialog = byId("doubt-dialog");

// True when the person wants it. Closed in any other way than by its button, nothing happens.
export function isMeant({ title, sentence, act }) {
  const put = (selector, text) => { dialog.querySelector(selector).textContent = text; };
  put("h2", title);
  put("#doubt-sentence", sentence);
  put(".danger", act);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((tell) => {
    dialog.addEventListener("close", () => tell(dialog.returnValue === "meant"), { once: true });
  });
}
