// The "Telegram" panel: which bots are connected, how one is connected by its token, and the code that makes an owner.
import * as api from "./api.js";
import { byId, copyOf, setIcon } from "./pieces.js";
import { clock, minutes, t } from "./texts.js";

const LOOK_AGAIN_AFTER = 3000;
const TOKEN = /^\d+:[\w-]{10,}$/;

const panel = byId("bots");
const list = panel.querySelector(".bots");
const form = panel.querySelector("form");
const input = form.elements.token;
const question = byId("disconnect-dialog");

const known = new Map(); // By id: the bots as they were drawn.
let pairing; // The code on the screen: {id, code, until}. There is only one: a new code ends the one before it.
let asked = 0;
let timer;

export function showBots() {
  complain("");
  say(known.size ? "" : t("console-bots-loading"));
  panel.showModal();
  look();
}

panel.addEventListener("close", () => {
  clearTimeout(timer);
  asked++; // What is still under way comes too late.
  endPairing();
});

// The list, for as long as it is in sight

async function look() {
  clearTimeout(timer);
  if (!panel.open) return; // It was closed while a bot was being connected.
  const mine = ++asked;
  if (!document.hidden) {
    const answer = await api.listBots().catch((error) => ({ error }));
    // Meanwhile the panel was closed, or the list was asked for again.
    if (mine !== asked) return;
    if (answer.bots) draw(answer.bots);
    say(answer.error?.message ?? (known.size ? "" : t("console-bots-none")));
  }
  drawTimeLeft();
  timer = setTimeout(look, LOOK_AGAIN_AFTER);
}

function draw(bots) {
  // A bot that has just been connected has not heard its own name yet; the answer to its token had it.
  const named = bots.map((bot) => ({ ...bot, username: bot.username || (known.get(bot.id)?.username ?? "") }));
  for (const [id, before] of known) {
    if (!named.some((bot) => bot.id === id)) drop(before);
  }
  named.forEach(put);
}

function put(bot) {
  const before = known.get(bot.id);
  known.set(bot.id, bot);
  const card = cardOf(bot.id) ?? list.appendChild(copyOf("bot-template"));
  const part = (selector) => card.querySelector(selector);
  card.dataset.id = bot.id;
  card.dataset.state = bot.trouble ? "troubled" : bot.username ? "works" : "waiting";
  part(".bot-name").textContent = nameOf(bot);
  part(".bot-number").textContent = bot.id;
  part(".bot-state").textContent = stateOf(bot);
  setIcon(part(".bot-sign"), { troubled: "cross", works: "check", waiting: "gear" }[card.dataset.state]);
  if (before && before.trouble !== bot.trouble) announce(`${nameOf(bot)}: ${stateOf(bot)}`);
}

function drop(bot) {
  known.delete(bot.id);
  if (pairing?.id === bot.id) endPairing();
  const card = cardOf(bot.id);
  const hadFocus = card.contains(document.activeElement);
  card.remove();
  if (hadFocus) input.focus();
  announce(t("console-bots-disconnected", { bot: nameOf(bot) }));
}

const cardOf = (id) => list.querySelector(`[data-id="${CSS.escape(id)}"]`);

const nameOf = ({ id, username }) => (username ? `@${username}` : id);

const stateOf = ({ username, trouble }) => trouble ?? t(username ? "console-bots-works" : "console-bots-connecting");

// Each line of the list is said to screen readers only when it changes.
function announce(text) {
  panel.querySelector(".announcer").textContent = text;
}

function say(text) {
  const line = panel.querySelector(".sentence");
  if (line.textContent !== text) line.textContent = text;
}

// Connecting

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (form.ariaBusy === "true") return;
  const words = input.value.split(/\s+/);
  // Whoever copies all that BotFather wrote has copied the token too.
  const token = words.find((word) => TOKEN.test(word)) ?? input.value.trim();
  complain(token ? "" : t("console-bots-token-missing"));
  if (!token) return;
  setBusy(true);
  try {
    const bot = await api.connectBot(token);
    form.reset();
    put(bot);
    say("");
    announce(bot.trouble ? `${nameOf(bot)}: ${bot.trouble}` : t("console-bots-connected", { bot: nameOf(bot) }));
    look(); // Also makes worthless an older answer that does not have the bot yet.
    await pair(bot.id);
  } catch (error) {
    complain(error.message);
  } finally {
    setBusy(false);
  }
});
input.addEventListener("input", () => complain(""));

function complain(problem) {
  form.querySelector(".problem").textContent = problem;
  input.ariaInvalid = problem ? "true" : null;
  if (problem) input.focus();
}

// A button that is disabled would lose the focus to nowhere; this one only waits.
function setBusy(isBusy) {
  form.ariaBusy = String(isBusy);
  input.readOnly = isBusy;
  form.querySelector("[type=submit]").textContent = t(isBusy ? "console-bots-connecting" : "console-bots-connect");
}

// Pairing

export const pairBot = (button) => pair(button.closest("[data-id]").dataset.id);

async function pair(id) {
  const problem = cardOf(id).querySelector(".problem");
  problem.textContent = "";
  try {
    const { code, minutes: lifetime } = await api.pair();
    if (panel.open && known.has(id)) showPairing({ id, code, until: Date.now() + lifetime * 60_000 });
  } catch (error) {
    problem.textContent = error.message;
  }
}

function showPairing(fresh) {
  endPairing();
  pairing = fresh;
  const bot = known.get(fresh.id);
  const block = copyOf("pairing-template");
  const put = (selector, text) => { block.querySelector(selector).textContent = text; };
  put(".pairing-sentence", t("console-bots-pairing-sentence", { bot: nameOf(bot) }));
  put("pre", `/pair ${fresh.code}`);
  const address = bot.username && `https://t.me/${bot.username}?start=${fresh.code}`;
  block.querySelector(".pairing-link").hidden = !address;
  if (address) {
    block.querySelector("a").href = address;
    block.querySelector(".qr").alt = t("console-bots-qr", { bot: nameOf(bot) });
    showQr(block.querySelector(".qr"), address);
  }
  cardOf(fresh.id).querySelector(".pairing-slot").replaceChildren(block);
  drawTimeLeft();
  block.focus({ preventScroll: true });
  block.scrollIntoView({ block: "nearest" });
}

// Without it the link and the code still do.
async function showQr(picture, address) {
  const drawn = await api.drawQr(address).catch(() => null);
  if (!drawn) return;
  picture.src = URL.createObjectURL(drawn);
  picture.onload = () => URL.revokeObjectURL(picture.src);
}

function drawTimeLeft() {
  if (!pairing) return;
  const left = Math.ceil((pairing.until - Date.now()) / 60_000);
  const time = panel.querySelector(".pairing-until");
  if (left > 0) {
    time.textContent = t("console-bots-pairing-until", { until: clock(pairing.until), left: minutes(left) });
    return;
  }
  cardOf(pairing.id).querySelector(".problem").textContent = t("console-bots-pairing-over");
  endPairing();
}

function endPairing() {
  pairing = undefined;
  const block = panel.querySelector(".pairing");
  const hadFocus = block?.contains(document.activeElement);
  const card = block?.closest("[data-id]");
  block?.remove();
  if (hadFocus) card.querySelector("[data-action=pair-bot]").focus();
}

// Disconnecting

export function askDisconnect(button) {
  const bot = known.get(button.closest("[data-id]").dataset.id);
  question.querySelector("h2").textContent = t("console-bots-disconnect-title", { bot: nameOf(bot) });
  question.querySelector(".problem").textContent = "";
  question.querySelector("form").onsubmit = async (event) => {
    event.preventDefault();
    try {
      await api.disconnectBot(bot.id);
      question.close();
      if (known.has(bot.id)) drop(bot);
      look();
    } catch (error) {
      question.querySelector(".problem").textContent = error.message;
    }
  };
  question.showModal();
}
