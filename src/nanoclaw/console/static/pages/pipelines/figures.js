// Money and time of runs, in words: what is expected, and what it was.
import { duration, t } from "../../texts.js";

/** @import { PipelineEstimate } from "api" */
/** @typedef {readonly number[] | null | undefined} Range */

/** As many digits as say something of a step that costs a few cents. @param {number} sum */
const digitsOf = (sum) => sum === 0 || sum >= 0.1 ? 2 : sum >= 0.01 ? 3 : 4;

/** "$0.031" @param {number} sum */
export const money = (sum) => `$${sum.toFixed(digitsOf(sum))}`;

/** "$0.25–0.50" @param {Range} range */
export function moneyRange(range) {
  if (!range) return "";
  const digits = digitsOf(range[1]);
  const [low, high] = range.map((sum) => sum.toFixed(digits));
  return low === high ? `$${high}` : `$${low}–${high}`;
}

/** "2–6 min" @param {Range} range */
export function timeRange(range) {
  if (!range) return "";
  const unit = range[1] >= 90 ? "minute" : "second";
  const size = unit === "minute" ? 60 : 1;
  const [low, high] = range.map((seconds) => Math.max(unit === "minute" ? 1 : 0, Math.round(seconds / size)));
  return t(`console-span-${unit}`, { count: low === high ? high : `${low}–${high}` });
}

/** "about $0.05–0.20 and 2–6 min, from 4 earlier runs" @param {PipelineEstimate} estimate */
export function expected(estimate) {
  const cost = estimate.cost_usd ? moneyRange(estimate.cost_usd) : t("console-pipeline-cost-unknown");
  return t("console-pipeline-expected", { cost, time: timeRange(estimate.seconds) });
}

/** Where the numbers come from. @param {PipelineEstimate} estimate */
export const basis = ({ runs }) => runs ? t("console-pipeline-learned", { count: runs }) : t("console-pipeline-not-learned");

/** What the author of the template expects; empty when the file does not say. @param {PipelineEstimate} estimate */
export function authors({ author_cost_usd: cost, author_seconds: seconds }) {
  const said = [moneyRange(cost), timeRange(seconds)].filter(Boolean).join(", ");
  return said && t("console-pipeline-author", { said });
}

/** Milliseconds between two moments, or until now. @param {string | null} from @param {string | null} to @param {number} now */
export function took(from, to, now) {
  return from ? Math.max(0, (to ? Date.parse(to) : now) - Date.parse(from)) : null;
}

/** @param {number | null} milliseconds */
export const tookText = (milliseconds) => milliseconds === null ? "" : duration(Math.max(1000, Math.round(milliseconds / 1000) * 1000));

/** "$0.12 of $0.10–0.30" @param {{ cost_usd: number, expected_cost_usd: Range }} run */
export function costText({ cost_usd: cost, expected_cost_usd: range }) {
  return range ? t("console-pipeline-of", { is: money(cost), expected: moneyRange(range) }) : money(cost);
}
