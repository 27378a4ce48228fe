// The pages of tasks, and the news of them.
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { signal } from "../../vendor/index.js";

export const taskTabs = () => [
  { href: "/tasks", text: t("console-tasks-scheduled") },
  { href: "/tasks/background", text: t("console-tasks-background") },
  { href: "/calendar", text: t("console-tasks-calendar") },
];

export const calmNews = news.calmed(news.tasks);

// What was done in the form, for the page that comes after it.
export const told = signal("");

export function takeTold() {
  const text = told.peek();
  told.value = "";
  return text;
}
