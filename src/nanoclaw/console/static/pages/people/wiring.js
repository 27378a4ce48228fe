// One wiring as a row that can be edited: when the agent engages, for whom, and what becomes of the rest.
import { Field } from "../../components/form.js";
import { Problem } from "../../components/problem.js";
import { t } from "../../texts.js";
import { html, useRef, useState } from "../../vendor/index.js";

/** @import { Wiring, WiringChange } from "api" */
/** @typedef {Record<string, string>} Fields */

const ALWAYS = "."; // The pattern that every message fits.
const [LEAST, MOST] = [-1000, 1000];
const CHOICES = {
  engage: ["always", "mention", "mention-sticky", "pattern"],
  senders: ["all", "known"],
  ignored: ["drop", "accumulate"],
};

/** @param {Wiring} wiring @returns {Fields} */
function fieldsOf({ engage, pattern, senders, ignored, priority }) {
  const mode = engage === "pattern" && pattern === ALWAYS ? "always" : engage;
  return { engage: mode, pattern: mode === "pattern" ? pattern ?? "" : "", senders, ignored, priority: String(priority) };
}

/**
 * What is written and not stored, or was refused, stays as it was written beside the reason. `save` gives whether it
 * was stored; `tell` says what is wrong.
 * @param {{ wiring: Wiring, problem: string, onUnwire: () => void, tell: (problem: string) => void,
 *   save: (change: WiringChange) => Promise<boolean> }} props
 */
export function WiringRow({ wiring, problem, onUnwire, tell, save }) {
  const [written, setWritten] = useState(/** @type {Fields} */ ({}));
  const [refused, setRefused] = useState(/** @type {Fields} */ ({}));
  const row = useRef(/** @type {HTMLElement | null} */ (null));
  const now = useRef(written);
  now.current = written;
  const shown = { ...fieldsOf(wiring), ...written };

  const write = (/** @type {Fields} */ values) => {
    now.current = { ...now.current, ...values };
    setWritten(now.current);
  };
  /** As it is stored. @param {string[]} names */
  const forget = (names) => {
    const without = (/** @type {Fields} */ all) => Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));
    now.current = without(now.current);
    setWritten(now.current);
    setRefused(without);
  };

  /** @param {Fields} values what is sent @param {WiringChange} wanted @param {boolean} stays when it is refused */
  async function change(values, wanted, stays) {
    const names = Object.keys(values);
    write(values);
    setRefused((was) => Object.fromEntries(Object.entries(was).filter(([name]) => !names.includes(name))));
    const isStored = await save(wanted);
    if (names.some((name) => now.current[name] !== values[name])) return; // Meanwhile it is something else.
    if (isStored || !stays) forget(names);
    else setRefused((was) => ({ ...was, ...values }));
  }

  function choose(/** @type {string} */ name, /** @type {string} */ value) {
    if (name !== "engage") return change({ [name]: value }, { [name]: value }, false);
    if (value !== "pattern") {
      forget(["pattern"]);
      return change({ engage: value }, { engage: value }, false);
    }
    // "By a pattern" says nothing before the pattern is written.
    write({ engage: value });
    if (shown.pattern.trim()) return sendPattern(shown.pattern);
    return requestAnimationFrame(() => /** @type {HTMLElement | null} */ (row.current?.querySelector("[name=pattern]") ?? null)?.focus());
  }

  const sendPattern = (/** @type {string} */ pattern) => change({ engage: "pattern", pattern }, { engage: "pattern", pattern }, true);

  function sendPriority(/** @type {HTMLInputElement} */ { value, validity }) {
    if (validity.valid) return change({ priority: value }, { priority: value === "" ? null : Number(value) }, true);
    write({ priority: value });
    setRefused((was) => ({ ...was, priority: value }));
    return tell(t("console-wiring-priority-range", { least: LEAST, most: MOST }));
  }

  // A person who leaves the field without a pattern has changed their mind.
  function leavePattern(/** @type {HTMLInputElement} */ { value }) {
    if (value.trim()) return;
    forget(["engage", "pattern"]);
    tell("");
  }

  const select = (/** @type {keyof typeof CHOICES} */ name) => html`
    <${Field} label=${t(`console-wiring-${name}`)} name=${name} value=${shown[name]} choices=${CHOICES[name].map((value) => ({ value, text: t(`console-${name}-${value}`) }))}
              onChange=${(/** @type {any} */ { target }) => choose(name, target.value)} />`;
  /** What was refused and is still the same has not changed for the browser; perhaps the network was in the way. */
  const again = (/** @type {string} */ name, /** @type {(field: any) => unknown} */ send) => (/** @type {any} */ { key, target }) => {
    if (key === "Enter" && refused[name] === target.value) send(target);
  };
  const invalid = (/** @type {string} */ name) => name in refused && refused[name] === shown[name] ? "true" : null;
  return html`
    <div class="wiring" role="group" aria-label=${wiring.group} ref=${row}>
      <p class="wiring-head">
        <bdi class="wiring-group">${wiring.group}</bdi>
        ${wiring.fault && html`<span class="fault mark">${wiring.fault}</span>`}
        <button type="button" class="link" onClick=${onUnwire}>${t("console-chats-unwire")}</button>
      </p>
      <div class="fields">
        ${select("engage")}
        ${shown.engage === "pattern" && html`
          <${Field} label=${t("console-wiring-pattern")} name="pattern" value=${shown.pattern} autocapitalize="none" spellcheck="false" aria-invalid=${invalid("pattern")}
                    onInput=${(/** @type {any} */ { target }) => write({ engage: "pattern", pattern: target.value })}
                    onChange=${(/** @type {any} */ { target }) => { if (target.value.trim()) sendPattern(target.value); }}
                    onKeyDown=${again("pattern", ({ value }) => sendPattern(value))} onBlur=${(/** @type {any} */ { target }) => leavePattern(target)} />`}
        ${select("senders")}
        ${select("ignored")}
        <${Field} class="priority" label=${t("console-wiring-priority")} name="priority" title=${t("console-wiring-priority-hint")} type="number" inputmode="numeric"
                  min=${LEAST} max=${MOST} step="1" value=${shown.priority} aria-invalid=${invalid("priority")}
                  onInput=${(/** @type {any} */ { target }) => write({ priority: target.value })} onChange=${(/** @type {any} */ { target }) => sendPriority(target)}
                  onKeyDown=${again("priority", sendPriority)} />
      </div>
      <${Problem} text=${problem} />
    </div>`;
}
