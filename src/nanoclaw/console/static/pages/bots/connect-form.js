// Connects a bot by the token that @BotFather gave; what was pasted stays until it is connected.
import { Form, useAction } from "../../components/form.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

const TOKEN = /^\d+:[\w-]{10,}$/;

/** @param {{ connect: (token: string) => Promise<void>, field: { current: HTMLInputElement | null } }} props */
export function ConnectForm({ connect, field }) {
  const action = useAction();

  async function submit(/** @type {HTMLFormElement} */ form) {
    const pasted = field.current?.value ?? "";
    // A person who copies everything BotFather wrote has copied the token too.
    const token = pasted.split(/\s+/).find((word) => TOKEN.test(word)) ?? pasted.trim();
    if (!token) throw new Error(t("console-bots-token-missing"));
    await connect(token);
    form.reset();
  }

  return html`
    <${Form} class="bot-form" submit=${t("console-bots-connect")} busyText=${t("console-bots-connecting")} onSubmit=${submit}
             action=${action} problemId="bot-token-problem" onProblem=${() => field.current?.focus()}>
      <h2>${t("console-bots-connect-title")}</h2>
      <p id="bot-token-hint" class="quiet">
        ${t("console-bots-token-hint")}${" "}
        <a href="https://t.me/BotFather" target="_blank" rel="noopener noreferrer">${t("console-bots-botfather")}</a>
      </p>
      <label class="field">
        ${t("console-bots-token")}
        <input ref=${field} name="token" type="password" required autocomplete="off" autocapitalize="none" spellcheck="false"
               readOnly=${action.isBusy} aria-invalid=${action.problem ? "true" : null} onInput=${() => action.setProblem("")}
               aria-describedby="bot-token-hint bot-token-problem" />
      </label>
    <//>`;
}
