// Asks where a conversation is taken and what for; the host packs it, and shows what would leave before it does.
import { get, post } from "../../call.js";
import { Dialog } from "../../components/dialog.js";
import { Field, Form } from "../../components/form.js";
import { useLookup } from "../../lookup.js";
import { go, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { TARGETS, targetName } from "./states.js";

/** @import { Chat, Room } from "api" */

const PLACES = ["web", "terminal"]; // Of this machine.

/** Takes the conversation in this room elsewhere, unless another one is chosen. @param {{ room: string, onClose: () => void }} props */
export function TakeDialog({ room, onClose }) {
  const [target, setTarget] = useState(TARGETS[0]);
  // Those of other channels too, which are no rooms of the page.
  const { data } = useLookup(() => Promise.all([get("/api/chats", {}), get("/api/rooms", {})]));
  const chats = data?.[0].chats ?? [];
  const choices = chats.filter(({ wirings }) => wirings.length > 0)
    .map(({ id, title, channel }) => ({ value: id, text: PLACES.includes(channel) ? title : `${title} · ${channel}` }));
  return html`
    <${Dialog} title=${t("console-transfer-take-title")} onClose=${onClose}>
      <p class="quiet">${t("console-transfer-take-about")}</p>
      <${Form} submit=${t("console-transfer-pack")} onCancel=${onClose}
               onSubmit=${async (/** @type {any} */ { elements }) => {
                 const made = await post("/api/transfers", {}, { chat: elements.room.value, target, purpose: elements.purpose.value });
                 onClose();
                 go(to`/transfers/${made.id}`);
               }}>
        <${Field} label=${t("console-transfer-conversation")} name="room" value=${room || usual(chats, data?.[1].rooms ?? []) || choices[0]?.value} choices=${choices} />
        <${Field} label=${t("console-transfer-where")} name="target" value=${target} hint=${t(`console-transfer-about-${target}`)}
                  choices=${TARGETS.map((value) => ({ value, text: targetName(value) }))}
                  onChange=${(/** @type {any} */ event) => setTarget(event.target.value)} />
        <${Field} label=${t("console-transfer-for")} name="purpose" rows=${3} maxlength="1000" placeholder=${t("console-transfer-for-example")} />
      <//>
    <//>`;
}

/** Where something was said last; in a room in which nothing was said there is nothing to take along. @param {Chat[]} chats @param {Room[]} rooms */
function usual(chats, rooms) {
  const [newest] = rooms.filter(({ last_at: at }) => at).sort((one, other) => String(other.last_at).localeCompare(String(one.last_at)));
  return (newest ?? chats.find(({ channel, wirings }) => !PLACES.includes(channel) && wirings.length > 0))?.id;
}
