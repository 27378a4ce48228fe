// A drawer of the old kind, until it has become a page: open as long as the address is its own.
import { go, path } from "../../router.js";
import { useEffect } from "../../vendor/index.js";

export const makeOld = (id, show) => () => {
  useEffect(() => {
    const panel = document.getElementById(id);
    const here = path.peek();
    const leave = () => { if (path.peek() === here) go("/chats"); };
    panel.addEventListener("close", leave);
    show();
    return () => {
      panel.removeEventListener("close", leave);
      panel.close();
    };
  }, []);
  return null;
};
