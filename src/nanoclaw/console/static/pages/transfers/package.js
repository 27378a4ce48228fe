// What leaves with a transfer: its files, each to be looked at, how big it is, and what was taken out before.
import { addressOf } from "../../call.js";
import { Icon } from "../../components/icon.js";
import { bytes, locale, t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @import { Transfer } from "api" */

/** @param {{ transfer: Transfer }} props */
export function Contents({ transfer }) {
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
      ${!isThere && html`<p class="quiet">${t("console-transfer-cleared")}</p>`}
    </section>`;
}

/** @param {{ transfer: Transfer }} props */
export const Removed = ({ transfer: { removed, unseen } }) => html`
  <div class="transfer-removed">
    <h3>${t("console-transfer-removed")}</h3>
    ${removed.length > 0 ? html`<ul>${removed.map((each) => html`<li key=${each}>${each}</li>`)}</ul>` : html`<p class="quiet">${t("console-transfer-removed-nothing")}</p>`}
    ${unseen.length > 0 && html`<p class="unseen-files">${t("console-transfer-unseen", { files: unseen.join(", ") })}</p>`}
  </div>`;
