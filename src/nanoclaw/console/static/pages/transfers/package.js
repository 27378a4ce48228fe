// What leaves with a transfer: its files, each to be looked at, how big it is, and what was taken out before.
import { addressOf, post } from "../../call.js";
import { Form, Tick } from "../../components/form.js";
import { Icon } from "../../components/icon.js";
import { bytes, locale, t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @import { Transfer, UnchosenFile } from "api" */

/** @param {{ transfer: Transfer, onPicked: (after: Transfer) => void }} props */
export function Contents({ transfer, onPicked }) {
  const { id, files, size, tokens, is_estimate: isEstimate, has_package: isThere, delivered_at: left } = transfer;
  if (files.length === 0) return null;
  return html`
    <section class="transfer-package">
      <div class="section-head">
        <h2>${t("console-transfer-contents")}</h2>
        ${isThere && left && html`<a class="button" href=${addressOf("/api/transfers/{transfer}/package.zip", { transfer: id })} download=${`${id}.zip`}><${Icon} name="file" /> ${t("console-transfer-download")}</a>`}
      </div>
      <p class="quiet">${[
        t("console-transfer-files", { count: files.length }),
        bytes(size),
        tokens !== null && t(isEstimate ? "console-transfer-tokens-about" : "console-transfer-tokens", { count: tokens.toLocaleString(locale) }),
      ].filter(Boolean).join(" · ")}</p>
      <ul class="transfer-files">
        ${files.map(({ path, size: one }) => html`
          <li key=${path}>
            ${isThere ? html`<a href=${addressOf("/api/transfers/{transfer}/files", { transfer: id, path })} title=${path.split("/").at(-1)}><bdi>${path}</bdi></a>` : html`<bdi>${path}</bdi>`}
            <span class="quiet">${bytes(one)}</span>
          </li>`)}
      </ul>
      <${Removed} transfer=${transfer} />
      <${Unchosen} transfer=${transfer} onPicked=${onPicked} />
      ${!isThere && html`<p class="quiet">${t("console-transfer-cleared")}</p>`}
    </section>`;
}

/** Files that stay unless somebody picks them, each with the reason. @param {{ transfer: Transfer, onPicked: (after: Transfer) => void }} props */
export function Unchosen({ transfer: { id, asks, unchosen, unlisted }, onPicked }) {
  if (unchosen.length === 0) return null;
  const about = (/** @type {UnchosenFile} */ { name, size, why }) => html`<span><bdi>${name}</bdi> <span class="quiet">${bytes(size)} · ${why}</span></span>`;
  const more = unlisted > 0 && html`<p class="quiet">${t("console-transfer-unlisted", { count: unlisted })}</p>`;
  const head = html`<h3>${t("console-transfer-unchosen", { count: unchosen.length + unlisted })}</h3>`;
  if (!asks) return html`<section>${head}<ul class="found">${unchosen.map((each) => html`<li key=${each.number}>${about(each)}</li>`)}</ul>${more}</section>`;
  return html`
    <section>
      ${head}
      <p class="quiet">${t("console-transfer-unchosen-about")}</p>
      <${Form} submit=${t("console-transfer-pick")} class="decisions-form"
               onSubmit=${async (/** @type {HTMLFormElement} */ form) => {
                 const files = new FormData(form).getAll("picked").map(Number);
                 if (files.length > 0) onPicked(await post("/api/transfers/{transfer}/pick", { transfer: id }, { files }));
               }}>
        <ul class="found ticks">${unchosen.map((each) => html`<li key=${each.number}><${Tick} name="picked" value=${String(each.number)} label=${about(each)} /></li>`)}</ul>
        ${more}
      <//>
    </section>`;
}

/** @param {{ transfer: Transfer }} props */
export const Removed = ({ transfer: { removed, unseen, secrets } }) => html`
  <div class="transfer-removed">
    <h3>${t("console-transfer-removed")}</h3>
    ${removed.length > 0 ? html`<ul>${removed.map((each) => html`<li key=${each}>${each}</li>`)}</ul>` : html`<p class="quiet">${t("console-transfer-removed-nothing")}</p>`}
    ${secrets.length > 0 && html`<p class="unseen-files">${t("console-transfer-secrets", { files: secrets.join(", ") })}</p>`}
    ${unseen.length > 0 && html`<p class="unseen-files">${t("console-transfer-unseen", { files: unseen.join(", ") })}</p>`}
  </div>`;
