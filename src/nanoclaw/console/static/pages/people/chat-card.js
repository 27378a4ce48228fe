// A chat: what happens to strangers in it, what its agents may remember, and how it is wired to agent groups.
import { patch, put, remove } from "../../call.js";
import { Card } from "../../components/card.js";
import { isMeant } from "../../components/dialog.js";
import { Field } from "../../components/form.js";
import { useKeptFocus } from "../../components/settled.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useRef, useState } from "../../vendor/index.js";
import { useSaving } from "./saving.js";
import { WiringRow } from "./wiring.js";

/** @import { Chat, WiringChange } from "api" */

/** @param {{ chat: Chat, groups: string[], onChange: (chat: Chat) => void }} props */
export function ChatCard({ chat, groups, onChange }) {
  const { id, title, wirings } = chat;
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const { save, tell, isBusy, problemOf } = useSaving(onChange);
  const [wanted, setWanted] = useState(/** @type {{ strangers?: string, memory?: string }} */ ({})); // Not stored yet.
  useKeptFocus(card, () => card.current?.querySelector("select"));

  async function changeStrangers(/** @type {string} */ strangers) {
    setWanted({ strangers });
    const isDone = strangers !== "public" || await isMeant({
      title: t("console-chats-public-title", { name: title }),
      sentence: t("console-chats-public-sentence"),
      act: t("console-chats-public-act"),
    });
    if (isDone) await save("", () => patch("/api/chats/{chat}", { chat: id }, { strangers }));
    setWanted({});
  }

  async function changeMemory(/** @type {string} */ memory) {
    setWanted({ memory });
    await save("", () => patch("/api/chats/{chat}", { chat: id }, { memory }));
    setWanted({});
  }

  async function unwire(/** @type {string} */ group) {
    const isDone = await isMeant({
      title: t("console-chats-unwire-title", { name: title, group }),
      sentence: t("console-chats-unwire-sentence", { group }),
      act: t("console-chats-unwire"),
    });
    if (isDone) await save(group, () => remove("/api/chats/{chat}/wirings/{group}", { chat: id, group }));
  }

  const wire = (/** @type {string} */ place, /** @type {string} */ group, /** @type {WiringChange} */ change) =>
    save(place, () => put("/api/chats/{chat}/wirings/{group}", { chat: id, group }, change));

  const others = groups.filter((group) => !wirings.some((wiring) => wiring.group === group));
  return html`
    <${Card} label=${title} class="chat-card" isBusy=${isBusy} problem=${problemOf("")} ref=${card}>
      <div class="chat-head">
        <div>
          <p><a class="chat-title" href=${to`/wirings/${id}`}><bdi>${title}</bdi></a></p>
          <p class="quiet">${chat.channel} · ${t(`console-kind-${chat.kind}`)}</p>
        </div>
        <${Field} label=${t("console-chats-strangers")} value=${wanted.strangers ?? chat.strangers} onChange=${(/** @type {any} */ { target }) => changeStrangers(target.value)}
                  choices=${[["request_approval", "ask"], ["strict", "strict"], ["public", "public"]].map(([value, name]) => ({ value, text: t(`console-strangers-${name}`) }))} />
        <${Field} label=${t("console-chats-memory")} value=${wanted.memory ?? chat.memory} onChange=${(/** @type {any} */ { target }) => changeMemory(target.value)}
                  choices=${["write", "read", "off"].map((value) => ({ value, text: t(`console-memory-mode-${value}`) }))} />
      </div>
      ${!wirings.length && html`<p class="quiet">${t("console-chats-unwired")}</p>`}
      <ul class="wirings">
        ${wirings.map((wiring) => html`
          <li key=${wiring.group}>
            <${WiringRow} wiring=${wiring} problem=${problemOf(wiring.group)} onUnwire=${() => unwire(wiring.group)}
                          tell=${(/** @type {string} */ problem) => tell(wiring.group, problem)}
                          save=${(/** @type {WiringChange} */ change) => wire(wiring.group, wiring.group, change)} />
          </li>`)}
      </ul>
      ${others.length > 0 && html`
        <${Field} class="add" label=${t("console-chats-wire")} value=""
                  choices=${[{ value: "", text: t("console-chats-wire-which") }, ...others.map((group) => ({ value: group, text: group }))]}
                  onChange=${(/** @type {any} */ { target }) => wire("", target.value, {})} />`}
    <//>`;
}
