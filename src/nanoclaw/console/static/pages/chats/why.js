// "Why?": what happened to a message, step by step, and how long each step took.
import * as api from "../../api.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { to } from "../../router.js";
import { clockSeconds, duration, t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @param {{ message: string }} props */
export default function Why({ message }) {
  const { data, problem } = useLookup(() => api.whyMessage(message), { key: message });
  return html`
    <${Page} title=${t("console-why-title")} back="/chats" isBackBefore>
      ${data?.text && html`<blockquote class="asked" dir="auto">${data.text}</blockquote>`}
      <${Sentence} text=${problem || (data?.sentence ?? t("console-why-loading"))} />
      <ol class="steps">
        ${data?.steps.map((/** @type {import("api").Step} */ step, /** @type {number} */ index) => html`
          <li>
            <${Time} at=${step.at} text=${clockSeconds(step.at)} />
            ${index > 0 && html`<span class="took">+${duration(since(data.steps[index - 1], step))}</span>`}
            <p>${step.sentence}</p>
          </li>`)}
      </ol>
      ${data && data.memories.length > 0 && html`
        <h2>${t("console-why-memory")}</h2>
        <ul class="memories">
          ${data.memories.map((/** @type {import("api").UsedEntry} */ used) => html`
            <li><span dir="auto">${used.text}</span> <a href=${used.kind === "context" ? `/context/${used.id.split("#")[0]}` : to`/memory/${used.id}`}><code>${used.id}</code></a></li>`)}
        </ul>`}
    <//>`;
}

/** @param {import("api").Step} before @param {import("api").Step} step */
const since = (before, step) => Math.max(0, Date.parse(step.at) - Date.parse(before.at));
