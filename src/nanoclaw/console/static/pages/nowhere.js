// An address that no page has.
import { Page } from "../components/page.js";
import { t } from "../texts.js";
import { html } from "../vendor/index.js";

export const Nowhere = () => html`
  <${Page} title=${t("console-nowhere-title")}>
    <p>${t("console-nowhere-sentence")}</p>
    <p><a class="button primary" href="/">${t("console-nowhere-back")}</a></p>
  <//>`;
