// The colour theme: as the device says, always light, or always dark. theme.js sets what was chosen before the first paint.
import { Icon } from "../components/icon.js";
import { t } from "../texts.js";
import { html, signal } from "../vendor/index.js";

const THEMES = ["auto", "light", "dark"];
const root = document.documentElement;
const chosen = signal(root.dataset.theme ?? "auto");

function change() {
  chosen.value = THEMES[(THEMES.indexOf(chosen.value) + 1) % THEMES.length];
  root.dataset.theme = chosen.value;
  localStorage.setItem("theme", chosen.value);
}

export const ThemeButton = () => html`
  <button type="button" class="theme" onClick=${change}><${Icon} name=${chosen.value} /><span>${t(`console-theme-${chosen.value}`)}</span></button>`;
