// The chat of a session: the same conversation as in a room, with what the agent does; opened by a button, read-only afterwards.
import { post } from "../../call.js";
import { useAction } from "../../components/form.js";
import { Problem } from "../../components/problem.js";
import { t } from "../../texts.js";
import { html, useEffect } from "../../vendor/index.js";
import { Composer } from "../chats/composer.js";
import * as conversation from "../chats/conversation.js";
import { Messages } from "../chats/messages.js";
import { nameOf } from "../chats/row.js";
import { openRoom } from "../chats/rooms.js";

/** @import { WholeSession } from "api" */

/** @param {{ session: WholeSession, put: (session: WholeSession) => void }} props */
export function Chat({ session, put }) {
  const { question: { id, status, may_decide: isMine }, live: { room } } = session;
  if (room) return html`<${Room} room=${room} isOver=${status !== "pending"} />`;
  if (status !== "pending") return html`<p class="quiet session-empty">${t("console-session-never-opened")}</p>`;
  return html`<${NotOpened} isMine=${isMine} hasTerminal=${session.live.has_terminal}
                            open=${async () => put(await post("/api/sessions/{session}/open", { session: id }, { place: "chat" }))} />`;
}

/** @param {{ isMine: boolean, hasTerminal: boolean, open: () => Promise<void> }} props */
function NotOpened({ isMine, hasTerminal, open }) {
  const { isBusy, problem, run } = useAction();
  return html`
    <div class="session-empty">
      <p>${t(isMine ? "console-session-open-hint" : "console-question-not-yours")}</p>
      ${isMine && html`
        <button type="button" class="button primary" aria-busy=${isBusy ? "true" : null} onClick=${() => run(open)}>${t("console-session-open-chat")}</button>
        ${hasTerminal && html`<p class="quiet">${t("console-session-or-terminal")}</p>`}`}
      <${Problem} text=${problem} />
    </div>`;
}

/** @param {{ room: string, isOver: boolean }} props */
function Room({ room, isOver }) {
  const answer = conversation.newest.value;
  useEffect(() => { if (room !== openRoom.peek()) conversation.open(room); }, [room]);
  if (openRoom.value !== room) return null;
  return html`
    <p id="connection" role="status">${conversation.isReconnecting.value ? t("console-reconnecting") : ""}</p>
    <${Messages} />
    ${isOver ? html`<p class="quiet session-over">${t("console-session-over")}</p>` : html`<${Composer} send=${conversation.send} stop=${conversation.stop} />`}
    <div class="unseen" aria-live="polite">${answer && conversation.announcement(answer, nameOf(answer))}</div>`;
}
