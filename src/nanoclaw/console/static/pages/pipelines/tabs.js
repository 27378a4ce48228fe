// The pages of pipelines, the news of them, and what was done on the page before.
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { signal } from "../../vendor/index.js";

export const pipelineTabs = () => [
  { href: "/pipelines", text: t("console-pipelines-templates") },
  { href: "/pipelines/runs", text: t("console-pipelines-runs") },
];

export const calmNews = news.calmed(news.pipelines);

export const told = signal("");

export function takeTold() {
  const text = told.peek();
  told.value = "";
  return text;
}
