// A task that is to be changed.
import { get } from "../../call.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { to } from "../../router.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { TaskForm } from "./form.js";

/** @param {{ task: string }} props */
export default function Edit({ task: id }) {
  const { data, problem } = useLookup(() => get("/api/tasks/{task}", { task: id }), { key: id });
  if (data) return html`<${TaskForm} key=${id} kind="scheduled" task=${data} />`;
  return html`
    <${Page} title=${t("console-task-edit-title", { id })} back=${to`/tasks/${id}`}>
      <${Sentence} text=${problem || t("console-loading")} />
    <//>`;
}
