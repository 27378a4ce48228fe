// What has no place in the bar of a phone.
import { Icon } from "../components/icon.js";
import { Page } from "../components/page.js";
import { entries } from "../frame/bar.js";
import { ThemeButton } from "../frame/theme-button.js";
import { t } from "../texts.js";
import { html } from "../vendor/index.js";

const More = () => html`
  <${Page} title=${t("console-nav-more")}>
    <ul class="links">
      ${entries().filter((entry) => !entry.isOnPhone).map(({ href, icon, text }) => html`
        <li key=${href}><a href=${href}><${Icon} name=${icon} /><span>${text}</span><${Icon} name="forth" /></a></li>`)}
      <li><${ThemeButton} /></li>
    </ul>
  <//>`;

export default More;
