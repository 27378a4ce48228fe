// "What would happen?": a message that nobody sends, and what would become of it.
import { get, post } from "../../call.js";
import { Field, Form, Tick } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { peopleTabs } from "./tabs.js";

/** @import { Chat, Person, Verdict } from "api" */

export default function Explain() {
  const { data, problem } = useLookup(async () => {
    const [{ chats }, { people }] = await Promise.all([get("/api/chats", {}), get("/api/people", {})]);
    return { chats, people };
  });
  return html`
    <${Page} title=${t("console-nav-people")} tabs=${peopleTabs()}>
      ${data ? html`<${Trial} chats=${data.chats} people=${data.people} />` : html`<${Sentence} text=${problem || t("console-loading")} />`}
    <//>`;
}

/** @param {{ chats: Chat[], people: Person[] }} props */
function Trial({ chats, people }) {
  const [verdict, setVerdict] = useState(/** @type {Verdict | null} */ (null));
  async function ask(/** @type {HTMLFormElement} */ form) {
    const written = new FormData(form);
    const chat = String(written.get("chat"));
    // Someone new is of the same network as the chat: whoever decides there decides about them.
    const network = (chats.find(({ id }) => id === chat)?.channel ?? "telegram").split(":")[0];
    setVerdict(null);
    setVerdict(await post("/api/admission/explain", {}, {
      chat,
      person: String(written.get("person")) || `${network}:new`,
      text: String(written.get("text")),
      addressed: written.has("addressed") || null, // Not ticked: as it is usual there, so alone with the bot it is meant.
    }));
  }
  const news = [{ value: "new", text: t("console-explain-chat-new") }, { value: "-new", text: t("console-explain-group-new") }];
  return html`
    <p class="quiet">${t("console-explain-hint")}</p>
    <${Form} submit=${t("console-explain-ask")} onSubmit=${ask}>
      <div class="fields">
        <${Field} label=${t("console-explain-chat")} name="chat"
                  choices=${[...chats.map(({ id, title, channel }) => ({ value: id, text: `${title} (${channel})` })), ...news]} />
        <${Field} label=${t("console-explain-person")} name="person"
                  choices=${[...people.map(({ id, name, handle }) => ({ value: id, text: `${name} (${handle})` })), { value: "", text: t("console-explain-person-new") }]} />
      </div>
      <${Field} label=${t("console-explain-text")} name="text" rows="3" />
      <${Tick} label=${t("console-explain-addressed")} name="addressed" />
    <//>
    <div class="verdict" role="status" data-verdict=${verdict?.verdict}>
      ${verdict && html`
        <p class="verdict-sentence">${verdict.sentence}</p>
        <ul>
          ${verdict.findings.map(({ group, outcome, sentence }) => html`
            <li key=${group} data-outcome=${outcome}>
              <bdi class="finding-group">${group}</bdi> <span class="mark finding-outcome">${t(`console-outcome-${outcome}`)}</span> ${sentence}
            </li>`)}
        </ul>`}
    </div>`;
}
