// The "Why?" panel: what happened to a message, step by step, and how long each step took.
import * as api from "./api.js";
import { byId, copyOf, setTime } from "./pieces.js";
import { clockSeconds, duration, t } from "./texts.js";

export async function showWhy(id) {
  const panel = byId("why");
  fill(panel, { text: "", sentence: t("console-why-loading"), steps: [] });
  panel.dataset.id = id;
  panel.showModal();
  const story = await api.whyMessage(id).catch((error) => ({ text: "", sentence: error.message, steps: [] }));
  // Meanwhile the panel may have been opened for another message.
  if (panel.dataset.id === id) fill(panel, story);
}

function fill(panel, { text, sentence, steps }) {
  panel.querySelector("blockquote").textContent = text;
  panel.querySelector(".sentence").textContent = sentence;
  panel.querySelector(".steps").replaceChildren(...steps.map((step, index) => {
    const entry = copyOf("step-template");
    setTime(entry.querySelector("time"), step.at, clockSeconds(step.at));
    entry.querySelector("p").textContent = step.sentence;
    if (index > 0) {
      const took = Math.max(0, Date.parse(step.at) - Date.parse(steps[index - 1].at));
      entry.querySelector(".took").textContent = `+${duration(took)}`;
    }
    return entry;
  }));
}
