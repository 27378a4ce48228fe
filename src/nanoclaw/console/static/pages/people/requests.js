// Who waits for a decision: strangers who want to speak, and chats that belong to no agent yet.
import { get, post } from "../../call.js";
import { Card } from "../../components/card.js";
import { isMeant } from "../../components/dialog.js";
import { useAction } from "../../components/form.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useKeptFocus, useSettled } from "../../components/settled.js";
import { Time } from "../../components/time.js";
import * as counts from "../../counts.js";
import { useLookup } from "../../lookup.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { html, useRef } from "../../vendor/index.js";
import { peopleTabs } from "./tabs.js";

/** @import { Request } from "api" */

const BLOCK = "block";

async function readRequests() {
  const { requests } = await get("/api/requests", {});
  counts.requests.value = requests.length;
  return requests;
}

export default function Requests() {
  const { data, problem, look, put } = useLookup(readRequests, { news: news.rooms });
  const settled = useSettled();
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useKeptFocus(place, () => settled.line.current);
  const end = (/** @type {Request} */ request, /** @type {string} */ said, /** @type {Element} */ card) => {
    settled.say(said);
    settled.leave(card, "button");
    put((data ?? []).filter(({ id }) => id !== request.id));
    look();
  };
  return html`
    <${Page} title=${t("console-nav-people")} tabs=${peopleTabs()}>
      <${Settled} settled=${settled} />
      <div class="list" ref=${place}>
        <${List} items=${data} keyOf=${(/** @type {Request} */ { id }) => id} problem=${problem} none=${t("console-requests-none")}
                 draw=${(/** @type {Request} */ request) => html`<${RequestCard} request=${request} onEnd=${end} />`} />
      </div>
    <//>`;
}

/** @param {{ request: Request, onEnd: (request: Request, said: string, card: Element) => void }} props */
function RequestCard({ request, onEnd }) {
  const { id, about, at, chat, person: name, handle, groups, said, choices } = request;
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const { isBusy, problem, run } = useAction();

  async function decide(/** @type {string} */ choice) {
    if (choice === BLOCK && !await isMeant({
      title: t("console-people-block-title", { name }),
      sentence: t("console-people-block-sentence"),
      act: t("console-people-block"),
    })) return;
    await run(async () => {
      const { text } = await post("/api/requests/{request}", { request: id }, { choice });
      if (card.current) onEnd(request, text, card.current);
    });
  }

  // A private chat has no name but that of the person.
  const head = t(`console-request-${chat === name ? `${about}-alone` : about}`, { name, place: chat, group: groups.join(", ") });
  return html`
    <${Card} label=${head} class="request" isBusy=${isBusy} problem=${problem} ref=${card}>
      <p class="request-head">${head}</p>
      <p class="quiet"><bdi class="handle">${handle}</bdi> · <${Time} at=${at} /></p>
      <div class="request-said">${said.map((text, index) => html`<blockquote key=${index} dir="auto">${text}</blockquote>`)}</div>
      <div class="choices" role="group" aria-label=${t("console-request-choices", { name })}>
        ${choices.map(({ value, label }) => html`<button key=${value} type="button" class="button" onClick=${() => decide(value)}>${label}</button>`)}
      </div>
    <//>`;
}
