// The conversation of the old kind, until it has become a page.
import { html, useEffect, useRef } from "../../vendor/index.js";

export default function Chats({ room }) {
  const place = useRef(null);
  useEffect(() => {
    const chat = document.getElementById("chat");
    place.current.append(chat);
    chat.hidden = false;
    return () => {
      chat.hidden = true;
      document.body.append(chat);
    };
  }, []);
  useEffect(() => { import("../../chat.js").then(({ enter }) => enter(room)); }, [room]);
  return html`<div class="old-chat" ref=${place}></div>`;
}
