// A new batch: what, how many or which topics, and how; what it will cost stands there before.
import { get, post } from "../../call.js";
import { Field, Form } from "../../components/form.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { go, goBack, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { money, moneyRange } from "../pipelines/figures.js";
import { told } from "./states.js";
import { topicsIn } from "./topics.js";

/** @import { BatchCost, Group } from "api" */

const PAUSE = 400; // Milliseconds after the last key, before the host is asked what it would cost.

export default function New() {
  const { data, problem } = useLookup(() => get("/api/groups", {}));
  return html`
    <${Page} title=${t("console-batch-new")} back="/batches" isBackBefore>
      ${data ? html`<${NewForm} groups=${data.groups} />` : html`<${Sentence} text=${problem || t("console-loading")} />`}
    <//>`;
}

/** @param {{ groups: Group[] }} props */
function NewForm({ groups }) {
  const [given, setGiven] = useState({
    subject: "", count: "30", topics: "", skill: "", model: "", channel: "", grade: "", group: groups.find(({ main }) => main)?.name ?? groups[0]?.name ?? "",
  });
  const write = (/** @type {string} */ name) => ({ onInput: (/** @type {any} */ { target }) => setGiven((was) => ({ ...was, [name]: target.value })) });
  const id = useRef(crypto.randomUUID()).current; // Sent twice, it is one batch.
  const topics = topicsIn("topics.txt", given.topics);
  const wanted = {
    subject: given.subject.trim(),
    count: topics.length ? null : given.count.trim() ? Math.trunc(Number(given.count)) : null,
    topics: topics.length ? topics : null,
    skill: given.skill.trim() || null, model: given.model || null, channel: given.channel.trim() || null,
    least_grade: given.grade ? Number(given.grade) : null, group: given.group,
  };
  const isAsking = Boolean(topics.length || (wanted.subject && wanted.count));
  const key = useSettledKey(isAsking ? JSON.stringify(wanted) : "");
  const estimate = useLookup(async () => key ? post("/api/batches/estimate", {}, JSON.parse(key)) : null, { key });

  async function send() {
    if (!topics.length && !(Number(given.count) >= 1)) throw new Error(t("console-batch-count-wrong"));
    const batch = await post("/api/batches", {}, { ...wanted, id });
    told.value = t("console-batch-told-start");
    go(to`/batches/${batch.id}`, { replace: true });
  }

  const take = async (/** @type {any} */ { target }) => {
    const [file] = target.files;
    if (!file) return;
    const found = topicsIn(file.name, await file.text());
    setGiven((was) => ({ ...was, topics: found.join("\n") }));
  };
  const models = ["", "haiku", "sonnet", "opus"].map((value) => ({ value, text: value || t("console-batch-model-usual") }));
  const grades = ["", "5", "6", "7", "8", "9"].map((value) => ({ value, text: value || t("console-batch-grade-none") }));
  return html`
    <${Form} class="task-form" submit=${t("console-batch-start")} onSubmit=${send} onCancel=${() => goBack("/batches")} aria-label=${t("console-batch-new")}>
      <${Field} label=${t("console-batch-subject")} value=${given.subject} maxlength="500" placeholder=${t("console-batch-subject-example")} ...${write("subject")} />
      <div class="fields">
        <${Field} label=${t("console-batch-count")} value=${topics.length ? String(topics.length) : given.count} inputmode="numeric" maxlength="6" disabled=${topics.length > 0} ...${write("count")} />
        <${Field} label=${t("console-batch-model")} value=${given.model} choices=${models} onChange=${write("model").onInput} />
        <${Field} label=${t("console-task-group")} value=${given.group} choices=${groups.map(({ name }) => ({ value: name, text: name }))} onChange=${write("group").onInput} />
      </div>
      <${Field} label=${t("console-batch-topics")} value=${given.topics} rows="5" hint=${t("console-batch-topics-hint")} ...${write("topics")} />
      <${Field} label=${t("console-batch-topics-file")} type="file" accept=".txt,.csv,.md" onChange=${take} />
      <details>
        <summary>${t("console-batch-further")}</summary>
        <div class="fields">
          <${Field} label=${t("console-batch-skill")} value=${given.skill} maxlength="100" placeholder=${t("console-batch-skill-usual")} ...${write("skill")} />
          <${Field} label=${t("console-batch-channel")} value=${given.channel} maxlength="40" placeholder="telegram" ...${write("channel")} />
          <${Field} label=${t("console-batch-grade")} value=${given.grade} choices=${grades} onChange=${write("grade").onInput} />
        </div>
      </details>
      <div class="understood" role="status">
        ${estimate.data
          ? html`<${Estimate} cost=${estimate.data} />`
          : html`<p class="quiet">${estimate.problem || t(isAsking ? "console-loading" : "console-batch-estimate-first")}</p>`}
      </div>
    <//>`;
}

/** @param {{ cost: BatchCost }} props */
const Estimate = ({ cost }) => html`
  <p><b>${cost.cost_usd[1]
    ? t("console-batch-estimate", { count: cost.count, cost: moneyRange(cost.cost_usd), alone: money(cost.one_by_one_usd) })
    : t("console-batch-estimate-free", { count: cost.count })}</b></p>
  <p class="quiet">${[cost.model, cost.skill, cost.channel, cost.language].filter(Boolean).join(" · ")}</p>
  ${cost.fits < cost.count && html`<p class="task-why">${t("console-batch-estimate-budget", { fits: cost.fits, count: cost.count, left: money(cost.left_usd ?? 0) })}</p>`}`;

/** The host is not asked at each key. @param {string} key */
function useSettledKey(key) {
  const [settled, setSettled] = useState(key);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), PAUSE);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
