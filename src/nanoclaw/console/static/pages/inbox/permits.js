// What agents may do with tools without asking again, until someone takes it back.
import { get, remove } from "../../call.js";
import { Card } from "../../components/card.js";
import { useAction } from "../../components/form.js";
import { List } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Settled, useSettled } from "../../components/settled.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import * as news from "../../news.js";
import { shortTime, t } from "../../texts.js";
import { html, useRef } from "../../vendor/index.js";
import { inboxTabs } from "./tabs.js";

/** @import { Permit } from "api" */

export default function Permits() {
  const { data, problem, put } = useLookup(async () => (await get("/api/permits", {})).permits, { news: news.questions });
  const settled = useSettled();
  const end = (/** @type {Permit} */ permit, /** @type {Element} */ card) => {
    settled.say(t("console-permit-revoked", { text: permit.tool }));
    settled.leave(card, "button");
    put((data ?? []).filter(({ id }) => id !== permit.id));
  };
  return html`
    <${Page} title=${t("console-inbox")} tabs=${inboxTabs()}>
      <p class="quiet">${t("console-permits-hint")}</p>
      <${Settled} settled=${settled} />
      <${List} items=${data} keyOf=${(/** @type {Permit} */ { id }) => id} problem=${problem} none=${t("console-permits-none")}
               draw=${(/** @type {Permit} */ permit) => html`<${PermitCard} permit=${permit} onEnd=${end} />`} />
    <//>`;
}

/** @param {{ permit: Permit, onEnd: (permit: Permit, card: Element) => void }} props */
function PermitCard({ permit, onEnd }) {
  const { isBusy, problem, run } = useAction();
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const revoke = () => run(async () => {
    await remove("/api/permits/{permit}", { permit: permit.id });
    if (card.current) onEnd(permit, card.current);
  });
  return html`
    <${Card} label=${permit.tool} class="permit" isBusy=${isBusy} problem=${problem} ref=${card}>
      <div>
        <p><b>${permit.tool}</b> <span class="mark">${t(`console-permit-${permit.scope}`)}</span></p>
        <p class="quiet"><bdi>${permit.group}</bdi> · ${permit.rule}</p>
        <p class="quiet">
          ${t("console-permit-granted", { name: permit.granted_name })}, <${Time} at=${permit.created_at} />
          ${permit.expires_at && ` ${t("console-permit-until", { until: shortTime(permit.expires_at) })}`}
        </p>
      </div>
      <button type="button" class="button" onClick=${revoke}>${t("console-permit-revoke")}</button>
      ${permit.shown && html`<pre tabindex="0" role="region" aria-label=${t("console-question-tool")}>${permit.shown}</pre>`}
    <//>`;
}
