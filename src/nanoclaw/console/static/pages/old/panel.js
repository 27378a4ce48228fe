// A drawer of the old kind, until it has become a page: open as long as the address is its own.
import { useNews } from "../../news.js";
import { go, path } from "../../router.js";
import { useEffect } from "../../vendor/index.js";

export const makeOld = (id, show, news, note) => () => {
  useNews(news, note);
  useEffect(() => {
    const panel = document.getElementById(id);
    const here = path.peek();
    const leave = () => { if (path.peek() === here) go("/chats"); };
    panel.addEventListener("close", leave);
    show();
    return () => {
      panel.removeEventListener("close", leave);
      for (const open of document.querySelectorAll("dialog.panel[open]")) open.close();
    };
  }, []);
  return null;
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (button?.dataset.action === "close") button.closest("dialog").close();
  else if (event.target.matches("dialog.panel")) event.target.close(); // Its backdrop counts as the dialog.
});
