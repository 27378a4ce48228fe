// What a time in words means, while it is being written: the next times, on whose clock, and how often in a month.
import { post } from "../../call.js";
import { zonedAlso } from "../../moments.js";
import { boot, t } from "../../texts.js";
import { html, useEffect, useState } from "../../vendor/index.js";

/** @import { Preview as Understood } from "api" */
/** @typedef {{ told: Understood | null, name: string, problem: string }} Meaning */

const PAUSE = 350; // Milliseconds after the last letter.
const NOTHING = { told: null, name: "", problem: "" };

/**
 * Asks when the person has paused. `stored` is a task whose time is what is written; it needs no asking.
 * @param {{ when: string, timezone: string, group: string, stored: (Understood & { owner: string }) | null }} wanted
 * @returns {Meaning}
 */
export function useMeaning({ when, timezone, group, stored }) {
  const [meaning, setMeaning] = useState(/** @type {Meaning} */ (NOTHING));
  useEffect(() => {
    if (stored || !when.trim()) {
      setMeaning(stored ? { told: stored, name: stored.owner, problem: "" } : NOTHING);
      return undefined;
    }
    let isStale = false;
    const timer = setTimeout(async () => {
      try {
        const told = await post("/api/tasks/preview", {}, { when, timezone: timezone.trim() || null, group: group || null });
        if (!isStale) setMeaning({ told, name: boot.owner, problem: "" });
      } catch (error) {
        if (!isStale) setMeaning({ ...NOTHING, problem: error instanceof Error ? error.message : String(error) });
      }
    }, PAUSE);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [when, timezone, group, stored]);
  return meaning;
}

/** @param {{ meaning: Meaning }} props */
export const Preview = ({ meaning: { told, name, problem } }) => html`
  <div id="task-preview" role="status">
    <p class="problem">${problem}</p>
    ${told && told.next_times.length > 0 && html`
      <div class="understood">
        <p class="quiet">${t("console-preview-next")}</p>
        <ol>${told.next_times.map((at) => html`<li key=${at}>${zonedAlso(at, told.timezone)}</li>`)}</ol>
        <p class="quiet">${t(`console-zone-${told.zone_of}`, { zone: told.timezone, name })}</p>
        <p class="quiet">${told.schedule_type === "once" ? t("console-preview-once") : t("console-preview-often", { count: told.runs_per_month })}</p>
      </div>`}
  </div>`;
