// Opens the page for people who have the token, and tells everyone else how to get it.
import { Icon } from "./components/icon.js";
import { boot, start } from "./session.js";
import { html, render } from "./vendor/index.js";

const place = /** @type {HTMLElement} */ (document.getElementById("app"));
const text = (/** @type {string} */ key) => boot.texts[key];

const Locked = () => html`
  <main class="locked">
    <${Icon} name="lock" />
    <h1>${text("console-locked-title")}</h1>
    <p>${text("console-locked-sentence")}</p>
    <pre><code>${text("console-locked-command")}</code></pre>
  </main>`;

/** @param {{ problem: string }} props */
const Trouble = ({ problem }) => html`
  <main class="locked">
    <p role="alert">${problem}</p>
    <button type="button" class="button" onClick=${() => location.reload()}>${text("console-try-again")}</button>
  </main>`;

try {
  if (await start()) {
    // These say times and numbers the person's way, and know it only now.
    const [{ App, begin }] = await Promise.all([import("./frame/app.js"), import("./pages/chats/chats.js")]);
    begin();
    render(html`<${App} />`, place);
  } else {
    render(html`<${Locked} />`, place);
  }
} catch (error) {
  const problem = error instanceof TypeError ? text("console-error-network") : /** @type {Error} */ (error).message;
  render(html`<${Trouble} problem=${problem} />`, place);
}
