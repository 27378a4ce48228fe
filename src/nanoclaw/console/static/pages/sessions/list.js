// Interactive sessions: those that wait for a person, and below them what came of earlier ones.
import { get } from "../../call.js";
import { useNow } from "../../clock.js";
import { Card } from "../../components/card.js";
import { Icon } from "../../components/icon.js";
import { List, Table } from "../../components/list.js";
import { plainText } from "../../components/markup.js";
import { Page } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { useNewest } from "../../newest.js";
import * as news from "../../news.js";
import { to } from "../../router.js";
import { duration, span, t } from "../../texts.js";
import { html, useEffect, useState } from "../../vendor/index.js";

/** @import { Session } from "api" */

const PAGE = 50;

/** The first line, as it reads without its Markdown. @param {Session} session */
const headline = ({ html: source, question }) => (plainText(source) || question).split("\n", 1)[0];

const keyOf = (/** @type {Session} */ { id }) => id;

export default function Sessions() {
  const [reach, setReach] = useState(PAGE);
  const { data, problem, look } = useLookup(() => get("/api/sessions", { state: "open", limit: reach }), { news: news.questions });
  useEffect(() => { if (reach > PAGE) look(); }, [reach]);
  const earlier = useNewest(async (before) => {
    const page = await get("/api/sessions", { state: "over", before, limit: PAGE });
    return { items: page.sessions, more: page.more };
  }, { news: news.questions });
  return html`
    <${Page} title=${t("console-sessions")}>
      <p class="quiet">${t("console-sessions-about")}</p>
      <${List} items=${data?.sessions ?? null} keyOf=${keyOf} problem=${problem} none=${t("console-sessions-none")} label=${t("console-sessions")}
               draw=${(/** @type {Session} */ session) => html`<${Waiting} session=${session} />`}
               more=${data?.more} onMore=${() => setReach(reach + PAGE)} />
      ${earlier.items && earlier.items.length > 0 && html`
        <section>
          <h2>${t("console-sessions-earlier")}</h2>
          <${Table} items=${earlier.items} columns=${columns()} keyOf=${keyOf} problem=${earlier.problem} label=${t("console-sessions-earlier")}
                    rowOf=${(/** @type {Session} */ { status }) => ({ class: "decision", "data-status": status })}
                    more=${earlier.more} onMore=${earlier.showMore} />
        </section>`}
    <//>`;
}

/** @param {{ session: Session }} props */
function Waiting({ session }) {
  const left = Date.parse(session.deadline_at) - useNow();
  return html`
    <${Card} label=${headline(session)} class="session-card">
      <p class="question-head">
        <b>${t(`console-session-wants-${session.outcome}`)}</b>
        <span class="quiet"><bdi>${[session.skill || session.asker, session.group].filter(Boolean).join(" · ")}</bdi> · <${Time} at=${session.created_at} /> · <code>${session.short}</code></span>
      </p>
      <p class="session-what" dir="auto">${headline(session)}</p>
      <p class="quiet">
        <span class="mark">${t(session.opened_at ? "console-session-opened" : "console-session-new")}</span>${" "}
        ${left > 0 ? t("console-session-left", { left: span(left) }) : t("console-question-deadline-now")}
        ${!session.may_decide && ` · ${t("console-question-not-yours")}`}
      </p>
      <a class="button session-open" href=${to`/sessions/${session.id}`} aria-label=${`${t("console-session-enter")}: ${headline(session)}`}>
        <${Icon} name="terminal" /> ${t("console-session-enter")}
      </a>
    <//>`;
}

/** @returns {import("../../components/list.js").Column<Session>[]} */
const columns = () => [
  { title: t("console-connections-time"), draw: (each) => html`<${Time} at=${each.resolved_at ?? each.created_at} />` },
  {
    title: t("console-sessions-asked"),
    draw: (each) => html`
      <a class="what" dir="auto" href=${to`/sessions/${each.id}`}>${headline(each)}</a>${" "}
      <span class="channel">${[each.skill || each.asker, each.group].filter(Boolean).join(" · ")}</span>`,
  },
  { title: t("console-decisions-chosen"), draw: ({ concluded }) => html`<span class="chosen" dir="auto">${concluded}</span>` },
  { title: t("console-door-who"), draw: ({ decided_name: name }) => html`<bdi class="who">${name}</bdi>` },
  { title: t("console-decisions-fast"), class: "fast", draw: ({ seconds }) => seconds === null ? "" : duration(seconds * 1000) },
  { title: t("console-decisions-status"), draw: ({ status }) => html`<span class="mark status">${t(`console-status-${status}`)}</span>` },
];
