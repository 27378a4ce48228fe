// Asks for the name of a room: a new one's, or another one for a room that is there.
import * as api from "../../api.js";
import { Dialog } from "../../components/dialog.js";
import { Field, Form } from "../../components/form.js";
import { go, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, signal, useEffect, useRef } from "../../vendor/index.js";
import * as composer from "./composer.js";
import { put } from "./rooms.js";

const asked = signal(/** @type {{ heading: string, title: string, save: (title: string) => Promise<void> } | null} */ (null));

export function askForRoom() {
  asked.value = {
    heading: t("console-room-new"),
    title: "",
    async save(title) {
      const room = await api.createRoom(title);
      put(room);
      go(to`/chats/${room.id}`);
      // The dialog gives the focus back to where it came from; here the person wants to write.
      setTimeout(composer.focus);
    },
  };
}

/** @param {import("./rooms.js").Room} room */
export function askForTitle(room) {
  asked.value = {
    heading: t("console-room-rename"),
    title: room.title,
    save: async (title) => put(await api.renameRoom(room.id, title)),
  };
}

export const TitleDialogs = () => asked.value && html`<${TitleDialog} key=${asked.value} ...${asked.value} />`;

/** It stays open, with the reason, when the name could not be stored. @param {NonNullable<typeof asked.value>} props */
function TitleDialog({ heading, title, save }) {
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  const close = () => { asked.value = null; };
  useEffect(() => { form.current?.querySelector("input")?.select(); }, []);
  return html`
    <${Dialog} title=${heading} onClose=${close}>
      <div ref=${form}>
        <${Form} submit=${t("console-save")} onCancel=${close}
                 onSubmit=${async (/** @type {any} */ { elements }) => {
                   await save(elements.title.value.trim());
                   close();
                 }}>
          <${Field} label=${t("console-room-name")} name="title" required maxlength="80" defaultValue=${title} />
        <//>
      </div>
    <//>`;
}
