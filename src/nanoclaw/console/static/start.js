// Opens the page for whoever has the token, and says how to get it to everyone else.
import { boot, start } from "./session.js";

const byId = (id) => document.getElementById(id);

try {
  if (await start()) {
    byId("held").hidden = !boot.held;
    byId("chat").hidden = false;
    await import("./chat.js");
  } else {
    stayOut("locked-template");
  }
} catch (error) {
  const notice = stayOut("trouble-template");
  const said = error instanceof TypeError ? boot.texts["console-error-network"] : error.message;
  notice.querySelector("p").textContent = said;
  notice.querySelector("button").addEventListener("click", () => location.reload());
}

// Nothing of the page would work: what is left is its head, and what to do.
function stayOut(template) {
  for (const each of document.querySelectorAll(".top-bar [data-action], #menu, #chat, dialog")) each.remove();
  const notice = byId(template).content.firstElementChild.cloneNode(true);
  document.body.append(notice);
  return notice;
}
