// One transfer, live: how far it is, what is in it, what was removed, whether it may leave, and what came back.
import { get, post } from "../../call.js";
import { Dialog, isMeant } from "../../components/dialog.js";
import { useAction } from "../../components/form.js";
import { List, Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Problem } from "../../components/problem.js";
import { Settled, useSettled } from "../../components/settled.js";
import { useLookup } from "../../lookup.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";
import { AnalysisCard } from "./analysis.js";
import { BringPlace } from "./bring.js";
import { Contents, Removed } from "./package.js";
import { calmNews, targetName, titleOf } from "./states.js";
import { Steps } from "./steps.js";

/** @import { Analysis, Transfer as Taken } from "api" */

/** @param {{ transfer: string }} props */
export default function Transfer({ transfer: id }) {
  const { data: transfer, problem, look, put } = useLookup(() => get("/api/transfers/{transfer}", { transfer: id }), { key: id, news: calmNews });
  const [isReleasing, setReleasing] = useState(false);
  const settled = useSettled();

  const cancel = () => isMeant({
    title: t("console-transfer-cancel-title"),
    sentence: t(transfer?.delivered_at ? "console-transfer-cancel-left" : "console-transfer-cancel-sentence"),
    quote: transfer?.purpose ?? "",
    act: t("console-transfer-cancel"),
    cancel: t("console-transfer-cancel-not"),
    run: async () => {
      put(await post("/api/transfers/{transfer}/cancel", { transfer: id }));
      settled.say(t("console-transfer-told-cancelled"));
    },
  });
  const released = (/** @type {Taken} */ after) => {
    setReleasing(false);
    put(after);
    settled.say(t("console-transfer-told-released"));
  };
  const picked = (/** @type {Taken} */ after) => {
    put(after);
    settled.say(t("console-transfer-told-picked"));
  };

  const actions = transfer?.is_open && html`
    <button key="cancel" type="button" class="button danger" onClick=${cancel}>${t("console-transfer-cancel")}</button>
    ${transfer.asks && html`<button key="release" type="button" class="button primary" onClick=${() => setReleasing(true)}>${t("console-transfer-release")}</button>`}`;
  return html`
    <${Page} title=${transfer ? titleOf(transfer) : t("console-transfers")} back="/transfers" isBackBefore actions=${actions}>
      <${Settled} settled=${settled} />
      ${!transfer && html`<${Sentence} text=${problem || t("console-loading")} />`}
      ${transfer && html`
        <${Steps} transfer=${transfer} />
        ${transfer.state === "delivered" && html`
          <p class="quiet">${t(`console-transfer-now-${transfer.target}`)}</p>
          <${BringPlace} transfer=${transfer.id} />`}
        ${transfer.analyses.length > 0 && html`
          <section>
            <h2>${t("console-analyses")}</h2>
            <${List} items=${[...transfer.analyses].reverse()} keyOf=${(/** @type {Analysis} */ each) => each.id} label=${t("console-analyses")}
                     draw=${(/** @type {Analysis} */ analysis) => html`<${AnalysisCard} analysis=${analysis} onChange=${look} onSaid=${settled.say} />`} />
          </section>`}
        <${Contents} transfer=${transfer} onPicked=${picked} />`}
      ${isReleasing && transfer && html`<${ReleaseDialog} transfer=${transfer} onClose=${() => setReleasing(false)} onDone=${released} />`}
    <//>`;
}

/** What was taken out stands before the button. @param {{ transfer: Taken, onClose: () => void, onDone: (after: Taken) => void }} props */
function ReleaseDialog({ transfer, onClose, onDone }) {
  const { problem, run } = useAction();
  const release = () => run(async () => onDone(await post("/api/transfers/{transfer}/release", { transfer: transfer.id }, { content_hash: transfer.content_hash })));
  return html`
    <${Dialog} title=${t("console-transfer-release-title", { target: targetName(transfer.target) })} onClose=${onClose}>
      <p>${t(`console-transfer-about-${transfer.target}`)}</p>
      <${Removed} transfer=${transfer} />
      <p class="quiet">${t("console-transfer-release-sentence")}</p>
      <${Problem} text=${problem} />
      <div class="buttons">
        <button type="button" class="button" onClick=${onClose}>${t("console-cancel")}</button>
        <button type="button" class="button primary" onClick=${release}>${t("console-transfer-release")}</button>
      </div>
    <//>`;
}
