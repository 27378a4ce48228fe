// "What would happen?": a message that nobody sends, and what would become of it.
import * as api from "../../api.js";
import { Field, Form, Tick } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { peopleTabs } from "./tabs.js";

const NEW_CHAT = "new";
const NEW_GROUP = "-new";

const read = async () => {
  const [{ chats }, { people }] = await Promise.all([api.listChats(), api.listPeople()]);
  return { chats, people };
};

export default function Explain() {
  const { data, problem } = useLookup(read);
  const [verdict, setVerdict] = useState(/** @type {any} */ (null));
  return html`
    <${Page} title=${t("console-nav-people")} tabs=${peopleTabs()}>
      <p class="quiet">${t("console-explain-hint")}</p>
      <${Sentence} text=${problem} />
      ${data && html`<${Question} ...${data} tell=${setVerdict} />`}
      ${verdict && html`<${Verdict} ...${verdict} />`}
    <//>`;
}

/** @param {{ chats: any[], people: any[], tell: (verdict: unknown) => void }} props */
function Question({ chats, people, tell }) {
  const inChats = [
    { value: NEW_CHAT, text: t("console-explain-chat-new") },
    { value: NEW_GROUP, text: t("console-explain-group-new") },
    ...chats.map(({ id, title, channel }) => ({ value: id, text: `${title} (${channel})` })),
  ];
  const from = [
    { value: "", text: t("console-explain-person-new") },
    ...people.map(({ id, name, handle }) => ({ value: id, text: `${name} (${handle})` })),
  ];

  // Of the same network as the chat: whoever decides there decides about them.
  const someoneNew = (/** @type {string} */ chat) =>
    `${(chats.find(({ id }) => id === chat)?.channel ?? "telegram").split(":")[0]}:new`;

  async function ask(/** @type {HTMLFormElement} */ form) {
    const { chat, person, text, addressed } = /** @type {any} */ (form.elements);
    tell(null);
    tell(await api.explainAdmission({
      chat: chat.value,
      person: person.value || someoneNew(chat.value),
      text: text.value,
      addressed: addressed.checked || null, // Not ticked: as it is usual there, so alone with the bot it is meant.
    }));
  }

  return html`
    <${Form} onSubmit=${ask} submit=${t("console-explain-ask")}>
      <div class="fields">
        <${Field} label=${t("console-explain-chat")} name="chat" choices=${inChats} value=${chats[0]?.id ?? NEW_CHAT} />
        <${Field} label=${t("console-explain-person")} name="person" choices=${from} value=${people[0]?.id ?? ""} />
      </div>
      <${Field} label=${t("console-explain-text")} name="text" rows=${3} />
      <${Tick} label=${t("console-explain-addressed")} name="addressed" />
    <//>`;
}

/** @param {{ verdict: string, sentence: string, findings: { group: string, outcome: string, sentence: string }[] }} props */
const Verdict = ({ verdict, sentence, findings }) => html`
  <div class="verdict" role="status" data-verdict=${verdict}>
    <p class="verdict-sentence">${sentence}</p>
    <ul>
      ${findings.map((finding) => html`
        <li data-outcome=${finding.outcome}>
          <bdi class="finding-group">${finding.group}</bdi>${" "}
          <span class="mark finding-outcome">${t(`console-outcome-${finding.outcome}`)}</span>${" "}
          <span class="finding-reason">${finding.sentence}</span>
        </li>`)}
    </ul>
  </div>`;
