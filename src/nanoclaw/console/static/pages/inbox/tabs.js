// The pages of the inbox, beside one another.
import * as counts from "../../counts.js";
import { t } from "../../texts.js";

/** @returns {import("../../components/tabs.js").Tab[]} */
export const inboxTabs = () => {
  const count = counts.questions.value;
  return [
    { href: "/inbox", text: t("console-inbox-questions"), count, description: t("console-questions-waiting", { count }) },
    { href: "/decisions", text: t("console-inbox-decisions") },
    { href: "/figures", text: t("console-inbox-figures") },
    { href: "/permits", text: t("console-inbox-permits") },
  ];
};
