// One file of the context: what it says, the changes that wait for a decision, and the ways to change it.
import { get, remove } from "../../call.js";
import { isMeant } from "../../components/dialog.js";
import { useAction } from "../../components/form.js";
import { List, Sentence } from "../../components/list.js";
import { Markup } from "../../components/markup.js";
import { Page } from "../../components/page.js";
import { Problem } from "../../components/problem.js";
import { Settled, useSettled } from "../../components/settled.js";
import { useLookup } from "../../lookup.js";
import { questions } from "../../news.js";
import { t } from "../../texts.js";
import { html, useEffect, useMemo } from "../../vendor/index.js";
import { addressOfFile, company, withCompany } from "./company.js";
import { ProposalCard } from "./proposal.js";
import { takeTold } from "./told.js";

/** @import { Proposal } from "api" */

/** @param {{ area: string, name: string }} props */
export default function File({ area, name }) {
  const file = `${area}/${name}`;
  const { data, problem, look } = useLookup(
    () => get("/api/context/{area}/{name}", { area, name, company: company() }), { key: `${file} ${company()}`, news: questions });
  const settled = useSettled(useMemo(takeTold, []));
  useEffect(() => { if (settled.text) settled.focus(); }, []);
  const action = useAction();

  async function end(/** @type {string} */ said, /** @type {Element} */ card) {
    settled.say(said);
    settled.leave(card, "button");
    await look();
  }

  async function askToDelete() {
    const isGone = await isMeant({
      title: t("console-context-delete-title"),
      sentence: t("console-context-delete-sentence"),
      quote: file,
      act: t("console-context-delete"),
      cancel: t("console-cancel"),
    });
    if (isGone) await action.run(async () => {
      await remove("/api/context/{area}/{name}", { area, name, company: company() });
      await look();
    });
  }

  return html`
    <${Page} title=${data?.title ?? file} back=${withCompany("/context")} actions=${data && html`
      <a class="button" href=${addressOfFile(file, "/history")}>${t("console-context-history")}</a>
      <a class="button primary" href=${addressOfFile(file, "/edit")}>${t("console-context-edit")}</a>`}>
      <${Settled} settled=${settled} />
      ${!data && html`<${Sentence} text=${problem || t("console-loading")} />`}
      ${data && html`
        <p class="quiet">${data.purpose}<br /><code>${file}</code> · ${data.age} ${data.stale && html`<span class="mark stale">${t("console-context-stale")}</span>`}</p>
        ${data.waiting.length > 0 && html`
          <section aria-labelledby="waiting-title">
            <h2 id="waiting-title">${t("console-context-waiting")}</h2>
            <${List} items=${data.waiting} keyOf=${(/** @type {Proposal} */ { id }) => id}
                     draw=${(/** @type {Proposal} */ proposal) => html`<${ProposalCard} proposal=${proposal} onEnd=${end} />`} />
          </section>`}
        ${data.text === null
          ? html`<${Sentence} text=${t("console-context-missing")} />`
          : html`<article class="bubble context-text" dir="auto"><${Markup} source=${data.html} text=${data.text} /></article>`}
        <${Problem} text=${action.problem} />
        ${data.text !== null && html`<p><button type="button" class="link" onClick=${askToDelete}>${t("console-context-delete")}</button></p>`}`}
    <//>`;
}
