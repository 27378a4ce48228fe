// Something new to remember.
import { get, post } from "../../call.js";
import { Field, Form, Tick } from "../../components/form.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { go } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef } from "../../vendor/index.js";
import { saidOf } from "./card.js";
import { company, CompanyChoice, told } from "./tabs.js";

const KINDS = ["fact", "decision", "preference", "priority"];

export default function New() {
  const { data } = useLookup(() => get("/api/memory", { company: company.value, limit: 1 }), { key: company.value });
  async function add(/** @type {HTMLFormElement} */ form) {
    const given = new FormData(form);
    const text = (/** @type {string} */ name) => String(given.get(name) ?? "");
    const result = await post("/api/memory", {}, {
      company: company.value,
      text: text("text"),
      kind: /** @type {"fact"} */ (text("kind")),
      topic: text("topic"),
      public: given.get("public") === "on",
    });
    told.value = saidOf(result, "console-memory-told-add");
    go("/memory");
  }
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => form.current?.querySelector("textarea")?.focus(), []);
  return html`
    <${Page} title=${t("console-memory-add-title")} back="/memory">
      <div ref=${form}>
      <${Form} class="memory-form" onSubmit=${add} submit=${t("console-memory-add")} onCancel=${() => go("/memory")}>
        <${CompanyChoice} shown=${data?.company} companies=${data?.companies} />
        <${Field} label=${t("console-memory-text")} name="text" rows=${4} required />
        <div class="fields">
          <${Field} label=${t("console-memory-kind")} name="kind" choices=${KINDS.map((kind) => ({ value: kind, text: t(`console-memory-kind-${kind}`) }))} />
          <${Field} label=${t("console-memory-topic")} name="topic" />
        </div>
        <${Tick} label=${t("console-memory-public-tick")} name="public" />
      <//>
      </div>
    <//>`;
}
