// A proposed change: what would be different, and the buttons that decide it.
import { get, post } from "../../call.js";
import { Card } from "../../components/card.js";
import { useAction } from "../../components/form.js";
import { Time } from "../../components/time.js";
import { t } from "../../texts.js";
import { html, useRef } from "../../vendor/index.js";
import { addressOfFile } from "./company.js";
import { Diff } from "./diff.js";

/** @import { Proposal } from "api" */

const LOOKS = 50;
const PAUSE = 200;

/** @param {{ proposal: Proposal, onEnd: (said: string, card: Element) => unknown }} props */
export function ProposalCard({ proposal, onEnd }) {
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const { isBusy, problem, run } = useAction();

  const decide = (/** @type {string} */ option) => run(async () => {
    const element = card.current; // The card may be gone from the list before the host is done.
    if (!proposal.question_id || !element) return;
    await post("/api/questions/{question}/decide", { question: proposal.question_id }, { option, text: null });
    const state = await settledState(proposal.id);
    onEnd(t(`console-context-told-${state}`), element);
  });

  const { person, source, summary, created_at: at, state } = proposal;
  return html`
    <${Card} label=${summary} class="proposal" isBusy=${isBusy} problem=${problem} ref=${card} actions=${state === "open" && html`
      <button type="button" class="button primary" onClick=${() => decide("apply")}>${t("console-context-yes")}</button>
      ${proposal.after !== null && html`<a class="button" href=${addressOfFile(proposal.file, "/edit")}>${t("console-context-edit")}</a>`}
      <button type="button" class="button" onClick=${() => decide("cancel")}>${t("console-cancel")}</button>`}>
      <p><b dir="auto">${proposal.after === null ? t("console-context-deletes") : summary}</b></p>
      <p class="quiet">${[person, t(`console-context-source-${source.replace(" ", "-")}`)].filter(Boolean).join(" · ")} · <${Time} at=${at} /></p>
      <${Diff} text=${proposal.diff} />
    <//>`;
}

/** Until the host has carried the decision out: moments. @param {string} id */
async function settledState(id) {
  for (let look = 0; look < LOOKS; look += 1) {
    const { state } = await get("/api/context-proposals/{proposal}", { proposal: id });
    if (state !== "open" && state !== "editing") return state;
    await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
  }
  return "open";
}
