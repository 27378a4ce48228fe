// The questions that are open: each with all that helps to decide it, and decided in place.
import * as api from "./api.js";
import { complain, putAll } from "./editing.js";
import { byId, copyOf, setTime } from "./pieces.js";
import { drawBadges } from "./tabs.js";
import { shortTime, span, t } from "./texts.js";
import { content, replaceChanged } from "./view.js";

const panel = byId("inbox");
const part = byId("inbox-questions");
const list = part.querySelector("ul");
const more = part.querySelector(".more");
const settled = part.querySelector(".settled"); // What was decided last, here or elsewhere.
const badges = document.querySelectorAll("#tab-questions .badge");
const doubt = byId("take-back-dialog");

const PAGE = 100;
const MOST = 500; // That the server gives at a time.
const STILL = 800; // Milliseconds in which a second click of the same hand comes.

const known = new Map(); // By id: as they are stored.
let reach = PAGE; // How many are shown, the first ones, if there are so many.
let asked = 0;
let looks = 0;
let clock;
let held;

export async function showQuestions(isStale) {
  const mine = ++looks;
  const { open, hasMore } = await lookUp(reach);
  if (isStale() || mine !== looks) return;
  more.hidden = !hasMore;
  // What is being decided here stays until its own answer has come: that says what came of it, and where to go on.
  const busy = [...known.values()].filter(({ id }) => rowOf(id)?.ariaBusy === "true" && !open.some((each) => each.id === id));
  const questions = [...open, ...busy].sort((one, other) => one.id < other.id ? -1 : 1);
  const gone = [...known.keys()].filter((id) => !questions.some((question) => question.id === id));
  const hadFocus = list.contains(document.activeElement);
  if (gone.length) tellOf(gone);
  if (gone.length) holdStill();
  known.clear();
  for (const question of questions) known.set(question.id, question);
  putAll(list, questions, { keyOf: ({ id }) => id, template: "question-template", draw: drawQuestion });
  if (hadFocus && !list.contains(document.activeElement)) settled.focus();
  clock ??= setInterval(drawDeadlines, 1000);
  return questions.length ? "" : t("console-questions-none");
}

more.addEventListener("click", async () => {
  const last = list.lastElementChild;
  reach = known.size + PAGE;
  complain(part, "");
  try {
    await showQuestions(() => !panel.open);
    // The button has moved down, and out of sight; whoever reads goes on with what has come.
    controlOf(last?.nextElementSibling)?.focus();
  } catch (error) {
    complain(part, error.message);
  }
});

panel.addEventListener("close", () => {
  clock = clearInterval(clock);
  reach = PAGE;
  known.clear(); // What ends meanwhile needs no telling.
  settled.textContent = "";
});

// Looks the first ones up, and shows on the way to them how many there are in all.
export async function lookUp(wanted = 1) {
  const mine = ++asked;
  const open = [];
  let page;
  do {
    page = await api.listQuestions(Math.min(wanted - open.length, MOST), open.at(-1)?.id);
    open.push(...page.questions);
  } while (page.more && open.length < wanted);
  const { total: count, more: hasMore } = page;
  if (mine === asked) drawBadges(badges, count, t("console-questions-waiting", { count }));
  return { open, hasMore };
}

// What came of a question, in a few words.
export function outcomeOf({ status, chosen_label, user_input, decided_name }) {
  const said = [chosen_label, user_input].filter((text, index, all) => text && all.indexOf(text) === index).join(": ");
  if (status === "completed") return t("console-outcome-decided", { name: decided_name, text: said });
  if (status === "timeout" && said) return t("console-outcome-default", { text: said });
  return t(`console-ended-${status}`);
}

// Someone decided elsewhere what is on the screen; what was being written here is not lost without a word.
async function tellOf(ids) {
  const unsent = ids.map((id) => rowOf(id)?.querySelector("textarea").value.trim()).filter(Boolean);
  const ended = await Promise.all(ids.map((id) => api.getQuestion(id).catch(() => null)));
  const told = ended.filter(Boolean).map((question) => t("console-question-ended", {
    text: headline(question),
    outcome: outcomeOf(question),
  }));
  settled.textContent = [...told, ...unsent.map((text) => t("console-question-unsent", { text }))].join("\n");
}

// Where deciding begins; nothing where someone else decides.
const controlOf = (row) => row?.querySelector(".words:not([hidden]) textarea, .options button");
const rowOf = (id) => [...list.children].find((row) => row.dataset.key === id);

// The first line of a question, as it reads without its Markdown.
export function headline({ html, question }) {
  const { content: parsed } = Object.assign(document.createElement("template"), { innerHTML: html });
  return (parsed.textContent.trim() || question).split("\n", 1)[0];
}

// Drawing

function drawQuestion(row, question) {
  const part = (selector) => row.querySelector(selector);
  const { id, kind, risk, group, skill, created_at: at, context, tool, document: file } = question;
  row.ariaLabel = headline(question);
  row.dataset.risk = risk;
  part(".question-kind").textContent = t(`console-question-${kind.replace("_", "-")}`);
  part(".risk").textContent = risk === "normal" ? "" : t(`console-risk-${risk}`);
  part(".asked-by").textContent = [skill, group].filter(Boolean).join(" · ");
  setTime(part("time"), at, shortTime(at));
  part(".short").textContent = question.short;
  replaceChanged(part(".question-text"), content({ html: question.html, text: question.question }));
  show(part(".question-tool"), tool);
  show(part(".question-context"), context);
  part(".document").hidden = !file;
  part(".document").href = api.documentPath(id);
  part(".document").title = file ?? "";
  part(".document bdi").textContent = file;
  drawVotes(part(".votes"), question);
  drawDeadline(row, question);
  part(".not-yours").hidden = question.may_decide;
  part(".question-actions").hidden = !question.may_decide;
  part(".words").hidden = !question.may_decide || !question.takes_words;
  part(".words-label").textContent = t(question.options.length ? "console-question-comment" : "console-question-words");
  part(".words").onsubmit = (event) => {
    event.preventDefault();
    decide(row, question, null);
  };
  part("[data-do=take-back]").onclick = () => takeBack(row, question);
  drawOptions(part(".options"), row, question);
}

function show(place, text) {
  place.hidden = !text;
  const pre = place.querySelector("pre");
  if (pre.textContent !== (text ?? "")) pre.textContent = text ?? ""; // Someone may be reading or marking it.
}

function drawVotes(place, { votes_needed: needed, votes, options }) {
  place.hidden = needed < 2;
  const labels = new Map(options.map(({ id, label }) => [id, label]));
  const given = votes.map(({ name, option }) => `${name}: ${labels.get(option) ?? option}`).join(", ");
  place.textContent = t("console-question-votes", { needed, given: given || t("console-question-votes-none") });
}

function drawDeadlines() {
  for (const row of list.children) drawDeadline(row, known.get(row.dataset.key));
}

function drawDeadline(row, question) {
  const line = row.querySelector(".deadline");
  if (!question) return;
  const { deadline_at: at, default_label: text } = question;
  const left = Date.parse(at) - Date.now();
  const key = text ? "console-question-deadline" : "console-question-deadline-nothing";
  const said = left > 0 ? t(key, { left: span(left), text }) : t("console-question-deadline-now");
  if (line.textContent !== said) setTime(line, at, said);
  line.classList.toggle("soon", left < 120_000);
}

function drawOptions(place, row, question) {
  const options = question.may_decide ? question.options : [];
  const drawn = JSON.stringify(options);
  place.ariaLabel = t("console-question-options");
  if (place.dataset.drawn === drawn) return; // One of them may have the focus.
  place.dataset.drawn = drawn;
  place.classList.toggle("described", options.some(({ description }) => description));
  place.replaceChildren(...options.map(({ id, label, description, safe }, index) => {
    const option = copyOf("option-template");
    const [button, about] = option.children;
    button.textContent = label;
    button.classList.toggle("danger", question.risk === "destructive" && !safe);
    about.textContent = description;
    about.id = `about-${question.id}-${index}`;
    if (description) button.setAttribute("aria-describedby", about.id);
    button.addEventListener("click", ({ detail }) => {
      if (!(detail && button.ariaDisabled === "true")) decide(row, question, id);
    });
    return option;
  }));
}

// Whoever clicks twice must not decide the next one too, which has just come under the pointer. Keys are not misled.
function holdStill() {
  const mark = (isHeld) => {
    for (const button of list.querySelectorAll(".option button")) button.ariaDisabled = isHeld;
  };
  mark("true");
  clearTimeout(held);
  held = setTimeout(() => mark(null), STILL);
}

// Deciding

async function decide(row, { id, takes_words: takesWords }, option) {
  const words = row.querySelector("textarea");
  const text = takesWords ? words.value.trim() || null : null;
  if (option === null && text === null) {
    complain(row, t("console-question-wordless"));
    return words.focus();
  }
  await change(row, () => api.decideQuestion(id, option, text), ({ said, question }) => {
    if (question.status !== "pending") return settle(row, question, said);
    known.set(id, question);
    drawQuestion(row, question);
    row.querySelector(".done").textContent = said; // Others have to agree.
  });
}

function takeBack(row, { id, question }) {
  doubt.querySelector("blockquote").textContent = question;
  doubt.querySelector("form").onsubmit = () =>
    change(row, () => api.cancelQuestion(id), (ended) => settle(row, ended, t("console-ended-cancelled")));
  doubt.showModal();
}

async function change(row, send, take) {
  if (row.ariaBusy === "true") return;
  row.ariaBusy = "true";
  complain(row, "");
  try {
    take(await send());
    lookUp().catch(() => {}); // Decided it is; the count comes with the next news.
  } catch (error) {
    complain(row, error.message);
  } finally {
    row.ariaBusy = null;
  }
}

function settle(row, question, said) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  known.delete(question.id);
  row.remove();
  holdStill();
  settled.textContent = t("console-question-ended", { text: headline(question), outcome: said });
  (controlOf(next) ?? settled).focus();
}
