// A question in a few words: its first line, its kind, and what came of it.
import { plainText } from "../../components/markup.js";
import { t } from "../../texts.js";

/** @import { Question } from "api" */

/** The first line, as it reads without its Markdown. @param {Question} question */
export const headline = ({ html, question }) => (plainText(html) || question).split("\n", 1)[0];

/** @param {string} kind */
export const kindName = (kind) => t(`console-question-${kind.replace("_", "-")}`);

/** @param {Question} question */
export function outcomeOf({ status, chosen_label: label, user_input: words, decided_name: name }) {
  const said = [...new Set([label, words])].filter(Boolean).join(": ");
  if (status === "completed") return t("console-outcome-decided", { name: name ?? "", text: said });
  if (status === "timeout" && said) return t("console-outcome-default", { text: said });
  return t(`console-ended-${status}`);
}

/** @param {Question} question @param {string} [outcome] */
export const endOf = (question, outcome = outcomeOf(question)) =>
  t("console-question-ended", { text: headline(question), outcome });
