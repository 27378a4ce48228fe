// The form of a task: to schedule one, to hand work over, and to change a task.
import { get, patch, post } from "../../call.js";
import { Field, Form, Tick } from "../../components/form.js";
import { Page } from "../../components/page.js";
import { useLookup } from "../../lookup.js";
import { allZones } from "../../moments.js";
import { go, goBack, to } from "../../router.js";
import { t } from "../../texts.js";
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/index.js";
import { BLANK, editOf, newTaskOf, storedTime, valuesOf } from "./fields.js";
import { Preview, useMeaning } from "./preview.js";
import { told } from "./tabs.js";
import { Treatment } from "./treatment.js";

/** @import { Task } from "api" */
/** @typedef {import("./fields.js").Values} Values */

// What was written and not sent stands there again when the form is opened for the same thing.
const drafts = new Map();

/** @param {{ kind: "scheduled" | "background", task?: Task }} props */
export function TaskForm({ kind, task }) {
  const isBackground = kind === "background";
  const key = task ? `edit ${task.id}` : kind;
  const before = useMemo(() => task ? valuesOf(task) : BLANK, []);
  const [values, setValues] = useState(/** @type {Values} */ (drafts.get(key) ?? before));
  const first = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => first.current?.querySelector("textarea")?.focus(), []);

  const write = (/** @type {string} */ name, /** @type {string | boolean} */ value) => setValues((was) => {
    const now = { ...was, [name]: value };
    drafts.set(key, now);
    return now;
  });
  /** What a field needs to show its value and to change it. @param {string} name */
  const bind = (name) => ({
    name,
    ...(typeof values[name] === "boolean" ? { checked: values[name] } : { value: values[name] }),
    onInput: (/** @type {any} */ { target }) => write(name, target.type === "checkbox" ? target.checked : target.value),
  });

  async function send(/** @type {HTMLFormElement} */ form) {
    complainOfNumbers(form);
    const stored = task
      ? await patch("/api/tasks/{task}", { task: task.id }, editOf(before, values))
      : await post("/api/tasks", {}, newTaskOf(values, isBackground));
    drafts.delete(key);
    const said = task ? "console-told-edit" : isBackground ? "console-told-hand-over" : "console-told-new";
    told.value = t(said, { id: stored.id, text: stored.title });
    if (task) goBack(to`/tasks/${task.id}`);
    else go(list, { replace: true });
  }

  const list = isBackground ? "/tasks/background" : "/tasks";
  const title = task ? t("console-task-edit-title", { id: task.id }) : t(isBackground ? "console-task-hand-over" : "console-task-new");
  const submit = t(task ? "console-save" : isBackground ? "console-task-hand-over-now" : "console-task-schedule");
  return html`
    <${Page} title=${title} back=${task ? to`/tasks/${task.id}` : list}>
      <${Form} class="task-form" aria-label=${title} submit=${submit} onSubmit=${send} onCancel=${() => goBack(list)}>
        <div ref=${first}><${Field} label=${t("console-task-prompt")} rows="4" required ...${bind("prompt")} /></div>
        ${!isBackground && html`<${Timing} values=${values} before=${before} task=${task} bind=${bind} />`}
        <${Places} values=${values} task=${task} bind=${bind} write=${write} />
        ${isBackground && html`
          <div class="fields">
            <${Field} label=${t("console-task-priority")} choices=${["normal", "high", "low"].map((value) => ({ value, text: t(`console-priority-${value}`) }))} ...${bind("priority")} />
            <${Field} label=${t("console-task-minutes")} type="number" inputmode="numeric" min="1" max="44640" step="1" ...${bind("estimated_minutes")} />
          </div>`}
        ${!isBackground && html`
          <${Tick} label=${t("console-task-notify")} ...${bind("notify")} />
          <${Treatment} bind=${bind} />`}
      <//>
    <//>`;
}

/** @param {HTMLFormElement} form */
function complainOfNumbers(form) {
  const inputs = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("input[type=number]")]);
  const wrong = inputs.find(({ validity }) => !validity.valid);
  if (!wrong) return;
  const around = wrong.closest("details");
  if (around) around.open = true;
  wrong.focus();
  const name = wrong.labels?.[0].firstChild?.textContent?.trim() ?? "";
  throw new Error(t("console-task-number", { name, least: wrong.min, most: wrong.max }));
}

/** @typedef {(name: string) => Record<string, unknown>} Bind */

/** @param {{ values: Values, before: Values, task?: Task, bind: Bind }} props */
function Timing({ values, before, task, bind }) {
  const [when, timezone, group] = [String(values.when), String(values.timezone), String(values.group)];
  const isSameTime = Boolean(task) && when === before.when;
  const stored = task && isSameTime && timezone === before.timezone ? task : null;
  const meaning = useMeaning({ when: task && isSameTime ? storedTime(task) : when, timezone, group, stored });
  return html`
    <div class="timing">
      <div class="fields">
        <${Field} label=${t("console-task-when")} maxlength="200" placeholder=${t("console-task-when-example")}
                  aria-describedby="task-when-hint task-preview" aria-invalid=${meaning.problem ? "true" : null} ...${bind("when")} />
        <${Field} label=${t("console-task-timezone")} list="zones" maxlength="60" spellcheck="false"
                  placeholder=${t("console-task-timezone-own")} ...${bind("timezone")} />
        <datalist id="zones">${useMemo(allZones, []).map((zone) => html`<option key=${zone} value=${zone}></option>`)}</datalist>
      </div>
      <p id="task-when-hint" class="quiet">${t("console-task-when-hint")}</p>
      <${Preview} meaning=${meaning} />
    </div>`;
}

/**
 * Agent groups, and the chats that each is wired to. A task stays where it is.
 * @param {{ values: Values, task?: Task, bind: Bind, write: (name: string, value: string) => void }} props
 */
function Places({ values, task, bind, write }) {
  const { data, problem } = useLookup(async () => {
    const [{ chats }, { groups }] = await Promise.all([get("/api/chats", {}), get("/api/groups", {})]);
    return { chats, groups };
  });
  const main = data?.groups.find((group) => group.main)?.name;
  useEffect(() => { if (main && !values.group) write("group", main); }, [main]);

  const names = [...new Set([task?.group ?? "", ...(data?.groups ?? []).map(({ name }) => name)])].filter(Boolean);
  const wired = (data?.chats ?? []).filter(({ id, wirings }) => id === task?.chat_id || wirings.some(({ group }) => group === values.group));
  const chats = [{ value: "", text: t("console-task-chat-own") }, ...wired.map(({ id, title, channel }) => ({ value: id, text: `${title} (${channel})` }))];
  useEffect(() => { if (data && !task && !chats.some(({ value }) => value === values.chat)) write("chat", ""); }, [values.group, data]);
  return html`
    <div class="fields">
      <${Field} label=${t("console-task-group")} disabled=${Boolean(task)} choices=${names.map((name) => ({ value: name, text: name }))} ...${bind("group")} />
      <${Field} label=${t("console-task-chat")} disabled=${Boolean(task)} choices=${chats} ...${bind("chat")} />
      <${Field} label=${t("console-task-skill")} maxlength="100" spellcheck="false" placeholder=${t("console-task-skill-own")} ...${bind("skill")} />
    </div>
    <p class="problem" role="alert">${problem}</p>`;
}
