// One interactive session: what is asked, the work on it (chat, terminal, files), and the conclusion beside it.
import { get, post } from "../../call.js";
import { isMeant } from "../../components/dialog.js";
import { IconLink } from "../../components/icon.js";
import { Sentence } from "../../components/list.js";
import { useFocus, useTitle } from "../../components/page.js";
import { Tabs } from "../../components/tabs.js";
import { useLookup } from "../../lookup.js";
import * as news from "../../news.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html, signal, useEffect, useRef } from "../../vendor/index.js";
import { newest } from "../chats/conversation.js";
import { headline } from "../inbox/wording.js";
import { Chat } from "./chat.js";
import { Conclusion } from "./conclusion.js";
import { ChangedFiles } from "./files.js";
import { Request } from "./request.js";
import { Result } from "./result.js";
import { TerminalPlace } from "./terminal.js";

/** @import { WholeSession } from "api" */

const wide = matchMedia("(min-width: 1100px)");
const isWide = signal(wide.matches);
wide.addEventListener("change", () => { isWide.value = wide.matches; });

/** `place`: request, chat, terminal or files. In a wide window the request stands beside the others. @param {{ session: string, place?: string }} props */
export default function SessionPage({ session: id, place }) {
  const lookup = useLookup(() => get("/api/sessions/{session}", { session: id }), { key: id, news: news.questions });
  const { data: session, problem, put, look } = lookup;
  // Whenever the agent has said something it may have changed files; whoever turns to another part wants it as it is now.
  const said = newest.value?.id;
  useEffect(() => { if (session) look(); }, [said, place]);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const title = session ? headline(session.question) : t("console-sessions");
  useTitle(title);
  useFocus(heading);
  const places = session ? placesOf(session, isWide.value) : [];
  const here = places.includes(place ?? "") ? place : places[0];
  const aside = session && html`<${Aside} session=${session} put=${put} look=${look} />`;
  return html`
    <main id="main" class="session-page">
      <header class="page-head">
        <${IconLink} icon="back" label=${t("console-back")} href="/sessions" />
        <h1 tabindex="-1" dir="auto" ref=${heading}>${title}</h1>
        ${session && isOpen(session) && session.question.may_decide && html`
          <button type="button" class="link quiet" onClick=${() => takeBack(session, put)}>${t("console-take-back")}</button>`}
      </header>
      ${!session && html`<${Sentence} text=${problem || t("console-loading")} />`}
      ${session && html`
        <${Tabs} label=${title} items=${places.map((each) => ({
          href: `${to`/sessions/${id}`}/${each}`, text: t(`console-session-${nameOf(each, session)}`), isHere: each === here,
          count: each === "files" ? session.files.length : 0, description: t("console-session-files-changed", { count: session.files.length }),
        }))} />
        <div class="session-body">
          <div class="session-work" data-place=${here}>
            ${here === "request" && aside}
            ${here === "chat" && html`<${Chat} session=${session} put=${put} />`}
            ${here === "terminal" && html`<${TerminalPlace} session=${session} look=${look} />`}
            ${here === "files" && html`<${ChangedFiles} session=${session} look=${look} />`}
          </div>
          ${isWide.value && html`<aside class="session-aside" aria-label=${t("console-session-request")}>${aside}</aside>`}
        </div>`}
    </main>`;
}

/** @param {WholeSession} session */
const isOpen = ({ question }) => question.status === "pending";

/** @param {WholeSession} session @param {boolean} isWide */
function placesOf(session, isWide) {
  return [
    isWide ? "" : "request",
    "chat",
    session.live.has_terminal && isOpen(session) ? "terminal" : "",
    isOpen(session) ? "files" : "", // What they were before is kept only as long.
  ].filter(Boolean);
}

/** While people work on it, that part is where they conclude: whoever reads the chat on a phone must find it. @param {string} place @param {WholeSession} session */
const nameOf = (place, session) => (place === "request" && session.live.opened_at && isOpen(session) && session.question.may_decide ? "conclude" : place);

/** What is asked, and how it ends, or ended. @param {{ session: WholeSession, put: (session: WholeSession) => void, look: () => Promise<void> }} props */
const Aside = ({ session, put, look }) => html`
  ${!isOpen(session) && html`<${Result} session=${session} />`}
  <${Request} session=${session} />
  ${isOpen(session) && html`<${Conclusion} key=${session.question.id} session=${session} put=${put} look=${look} />`}`;

/** @param {WholeSession} session @param {(session: WholeSession) => void} put */
const takeBack = ({ question }, put) => isMeant({
  title: t("console-session-cancel-title"),
  sentence: t("console-session-cancel-sentence"),
  quote: question.question,
  act: t("console-take-back"),
  cancel: t("console-take-back-not"),
  run: async () => put(await post("/api/sessions/{session}/cancel", { session: question.id })),
});
