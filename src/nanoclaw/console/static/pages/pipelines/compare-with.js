// Which other run of the same template this one is compared with.
import { get } from "../../call.js";
import { Field } from "../../components/form.js";
import { useLookup } from "../../lookup.js";
import { dayAndTime } from "../../moments.js";
import { go } from "../../router.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @import { PipelineRunLine } from "api" */

const MOST = 50;

/** @param {PipelineRunLine} run */
export const runName = ({ subject, created_at: at, short }) => `${subject.length > 60 ? `${subject.slice(0, 59)}…` : subject} · ${dayAndTime(at)} · ${short}`;

/** @param {string} one @param {string} other */
export const compareAddress = (one, other) => `/pipelines/compare?${new URLSearchParams({ one, other })}`;

/** @param {{ run: PipelineRunLine }} props */
export function CompareWith({ run }) {
  const { data } = useLookup(() => get("/api/pipelines/runs", { template: run.template, limit: MOST }), { key: run.template });
  const others = (data?.runs ?? []).filter(({ id }) => id !== run.id);
  if (!others.length) return null;
  return html`
    <${Field} class="compare-with" label=${t("console-pipeline-compare-with")} value=""
              choices=${[{ value: "", text: t("console-pipeline-choose") }, ...others.map((other) => ({ value: other.id, text: runName(other) }))]}
              onChange=${(/** @type {any} */ { target }) => { if (target.value) go(compareAddress(target.value, run.id)); }} />`;
}
