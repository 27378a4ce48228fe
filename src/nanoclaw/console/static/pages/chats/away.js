// Above a conversation that was taken elsewhere: where it is, since when and until when, and the two ways on.
import { get, post } from "../../call.js";
import { isMeant } from "../../components/dialog.js";
import { Icon } from "../../components/icon.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { to } from "../../router.js";
import { dateFormat, shortTime, t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { calmNews, targetName } from "../transfers/states.js";
import * as composer from "./composer.js";

/** @import { TransferLine } from "api" */

const untilFormat = dateFormat({ weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });

/** @param {{ room: string }} props */
export function AwayBanner({ room }) {
  const { data, look } = useLookup(() => get("/api/transfers", { state: "open", chat: room }), { key: room, news: calmNews });
  const away = (data?.transfers ?? []).filter(({ state }) => state === "delivered");
  return html`<div class="away-banners" role="status">
    ${away.map((transfer) => html`<${Away} key=${transfer.id} transfer=${transfer} onChange=${look} />`)}
  </div>`;
}

/** @param {{ transfer: TransferLine, onChange: () => unknown }} props */
function Away({ transfer, onChange }) {
  const { id, target, purpose, short, delivered_at: since, expires_at: until } = transfer;
  const takeBack = async () => {
    const wasMeant = await isMeant({
      title: t("console-away-take-back-title"),
      sentence: t("console-transfer-cancel-left"),
      quote: purpose,
      act: t("console-away-take-back"),
      cancel: t("console-away-wait"),
      run: () => post("/api/transfers/{transfer}/cancel", { transfer: id }),
    });
    if (!wasMeant) return;
    await onChange();
    composer.focus(); // The button that was pressed goes away.
  };
  return html`
    <section class="away-banner" aria-label=${t("console-away")}>
      <${Icon} name="away" />
      <p>
        <b>${t(`console-away-to-${target}`, { time: shortTime(since ?? until) })}</b>${" "}
        <span>${t("console-away-until")} <${Time} at=${until} text=${untilFormat(until)} />.</span>${" "}
        <span class="quiet" dir="auto">${purpose || targetName(target)} · <code>${short}</code></span>
      </p>
      <div class="away-ways">
        <a class="button primary" href=${to`/transfers/${id}`}>${t("console-away-back")}</a>
        <button type="button" class="button" onClick=${takeBack}>${t("console-away-take-back")}</button>
      </div>
    </section>`;
}
