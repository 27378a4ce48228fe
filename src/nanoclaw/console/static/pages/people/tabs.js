// The pages about who may speak, and to whom, beside one another.
import * as counts from "../../counts.js";
import { t } from "../../texts.js";

/** @returns {import("../../components/tabs.js").Tab[]} */
export const peopleTabs = () => {
  const count = counts.requests.value;
  return [
    { href: "/people", text: t("console-door-people") },
    { href: "/requests", text: t("console-door-requests"), count, description: t("console-requests-waiting", { count }) },
    { href: "/wirings", text: t("console-door-chats") },
    { href: "/groups", text: t("console-door-groups") },
    { href: "/drops", text: t("console-door-drops") },
    { href: "/audit", text: t("console-door-audit") },
    { href: "/explain", text: t("console-door-explain") },
  ];
};
