// One chat with its wirings, by its own address.
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { useChats } from "./wirings.js";

/** @param {{ chat: string }} props */
export default function Chat({ chat: id }) {
  const { chats, problem, draw } = useChats();
  const chat = chats?.find((each) => each.id === id);
  return html`
    <${Page} title=${chat?.title ?? t("console-door-chats")} back="/wirings">
      ${chat ? draw(chat) : html`<${Sentence} text=${problem || t(chats ? "console-chat-gone" : "console-loading")} />`}
    <//>`;
}
