// What came of questions, newest first; a row opens to exactly what was decided on.
import * as api from "./api.js";
import { showFigures } from "./figures.js";
import { makeLedger } from "./ledger.js";
import { byId, copyOf } from "./pieces.js";
import { headline } from "./questions.js";
import { duration, place, t } from "./texts.js";
import { content } from "./view.js";

const part = byId("inbox-decisions");

const known = new Map(); // By id.

const showLedger = makeLedger(part.querySelector(".history"), {
  read: async (before) => {
    const { decisions, more } = await api.listDecisions(before);
    for (const each of decisions) known.set(each.id, each);
    return { items: decisions.map((each) => ({ ...each, at: each.resolved_at })), more };
  },
  template: "decision-template",
  none: () => t("console-decisions-none"),
  keeps: true, // A row that is open stays open when others come.
  draw(put, each, row) {
    row.dataset.status = each.status;
    put(".what", headline(each));
    put(".asked-by", each.skill || each.group);
    put(".chosen", each.chosen_label);
    put(".wrote", each.user_input === each.chosen_label ? "" : each.user_input ?? "");
    put(".who", each.status === "timeout" ? t("console-decision-nobody") : each.decided_name ?? "");
    put(".via", place(each.via));
    put(".fast", each.seconds === null ? "" : duration(each.seconds * 1000));
    put(".status", t(`console-status-${each.status}`));
    row.querySelector("[data-do=again]").hidden = each.status !== "timeout" || !each.session_id;
  },
});

export async function showDecisions(isStale) {
  const [said] = await Promise.all([showLedger(isStale), showFigures(isStale)]);
  return said;
}

part.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-do]");
  if (button?.dataset.do === "open") toggle(button);
  if (button?.dataset.do === "again") askAgain(button);
});

function toggle(button) {
  const row = button.closest("tr");
  const isOpen = button.ariaExpanded === "true";
  button.ariaExpanded = String(!isOpen);
  if (isOpen) row.nextElementSibling.remove();
  else row.after(drawDetail(known.get(row.dataset.id)));
}

function drawDetail(each) {
  const row = copyOf("detail-template");
  const part = (selector) => row.querySelector(selector);
  row.dataset.id = each.id; // What comes before it in the list is asked for by this.
  part(".question-text").append(content({ html: each.html, text: each.question }));
  part(".question-text").hidden = part(".question-text").textContent.trim() === headline(each); // It stands above.
  part(".document").hidden = !each.document;
  part(".document").href = api.documentPath(each.id);
  part(".document").title = each.document ?? "";
  part(".document bdi").textContent = each.document;
  part(".payload pre").textContent = pretty(each.payload);
  part(".hash").textContent = each.payload_hash;
  part(".question-id").textContent = each.id;
  return row;
}

function pretty(payload) {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
}

async function askAgain(button) {
  const problem = button.closest("td").querySelector(".problem");
  button.disabled = true;
  problem.textContent = "";
  try {
    const again = await api.askAgain(button.closest("tr").dataset.id);
    button.replaceWith(Object.assign(document.createElement("span"), {
      className: "quiet",
      textContent: t("console-decision-asked-again", { text: again.short }),
    }));
  } catch (error) {
    button.disabled = false;
    problem.textContent = error.message;
  }
}
