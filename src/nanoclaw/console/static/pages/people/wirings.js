// The chats of every channel, each with its wirings.
import { get } from "../../call.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { fits } from "../../filter.js";
import { useLookup } from "../../lookup.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { ChatCard } from "./chat-card.js";
import { Search } from "./search.js";
import { peopleTabs } from "./tabs.js";

/** @import { Chat } from "api" */

async function readChats() {
  const [{ chats }, { groups }] = await Promise.all([get("/api/chats", {}), get("/api/groups", {})]);
  return { chats, groups: groups.map(({ name }) => name) };
}

/** The chats, what draws the card of one, and what is wrong. */
export function useChats() {
  const { data, problem, put } = useLookup(readChats);
  const change = (/** @type {Chat} */ chat) => {
    if (data) put({ ...data, chats: data.chats.map((each) => each.id === chat.id ? chat : each) });
  };
  const draw = (/** @type {Chat} */ chat) => html`<${ChatCard} chat=${chat} groups=${data?.groups ?? []} onChange=${change} />`;
  return { chats: data?.chats ?? null, problem, draw };
}

export default function Wirings() {
  const { chats, problem, draw } = useChats();
  const [words, setWords] = useState("");
  const shown = chats && chats.filter(({ title, channel, address }) => fits(words, [title, channel, address]));
  return html`
    <${Page} title=${t("console-nav-people")} tabs=${peopleTabs()}>
      <${Search} words=${words} onWords=${setWords} />
      <${List} items=${shown} keyOf=${(/** @type {Chat} */ { id }) => id} problem=${problem} none=${t("console-filter-none")} draw=${draw} />
    <//>`;
}
