// The pages of tasks, and the news of them.
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { effect, signal } from "../../vendor/index.js";

export const taskTabs = () => [
  { href: "/tasks", text: t("console-tasks-scheduled") },
  { href: "/tasks/background", text: t("console-tasks-background") },
  { href: "/calendar", text: t("console-tasks-calendar") },
];

const BREATH = 250; // Milliseconds: when a thousand tasks are due at once, each of them has news.

export const calmNews = signal(0);

let isWaiting = false;
effect(() => {
  if (!news.tasks.value || isWaiting) return;
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    calmNews.value += 1;
  }, BREATH);
});

// What was done in the form, for the page that comes after it.
export const told = signal("");

export function takeTold() {
  const text = told.peek();
  told.value = "";
  return text;
}
