// Telegram: which bots are connected, how one is connected by its token, and the code that makes an owner.
import * as api from "../../api.js";
import { isMeant } from "../../components/dialog.js";
import { Icon } from "../../components/icon.js";
import { Sentence } from "../../components/list.js";
import { Page } from "../../components/page.js";
import { Problem } from "../../components/problem.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { ConnectForm } from "./connect-form.js";
import { Pairing } from "./pairing.js";

/** @typedef {import("api").Bot} Bot */
/** @typedef {{ bot: string, code: string, until: number }} Code There is only one on the screen: a new code ends the one before it. */

const LOOK_AGAIN_AFTER = 3000;

export default function Bots() {
  const { bots, problem, announced, put, look, announce } = useBots();
  const [code, setCode] = useState(/** @type {Code | null} */ (null));
  const [troubles, setTroubles] = useState(/** @type {Record<string, string>} */ ({}));
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const complain = (/** @type {string} */ bot, /** @type {string} */ text) => setTroubles((all) => ({ ...all, [bot]: text }));

  async function pair(/** @type {string} */ bot) {
    complain(bot, "");
    try {
      const { code: fresh, minutes } = await api.pair();
      setCode({ bot, code: fresh, until: Date.now() + minutes * 60_000 });
    } catch (error) {
      complain(bot, /** @type {Error} */ (error).message);
    }
  }

  async function connect(/** @type {string} */ token) {
    const bot = await api.connectBot(token);
    put(bot);
    announce(bot.trouble ? `${nameOf(bot)}: ${bot.trouble}` : t("console-bots-connected", { bot: nameOf(bot) }));
    look(); // Also makes worthless an older answer that does not have the bot yet.
    await pair(bot.id);
  }

  async function disconnect(/** @type {Bot} */ bot) {
    const isDone = await isMeant({
      title: t("console-bots-disconnect-title", { bot: nameOf(bot) }),
      sentence: t("console-bots-disconnect-sentence"),
      act: t("console-bots-disconnect"),
      run: () => api.disconnectBot(bot.id),
    });
    if (isDone) await look();
    if (isDone) field.current?.focus(); // The button went with the bot.
  }

  function endPairing() {
    if (code) complain(code.bot, t("console-bots-pairing-over"));
    const card = code && list.current?.querySelector(`[data-id="${CSS.escape(code.bot)}"]`);
    const hadFocus = card?.querySelector(".pairing")?.contains(document.activeElement);
    setCode(null);
    if (hadFocus) /** @type {HTMLElement | null} */ (card?.querySelector(".bot-actions button"))?.focus();
  }

  return html`
    <${Page} title=${t("console-bots")}>
      <${Sentence} text=${problem || (bots ? (bots.length ? "" : t("console-bots-none")) : t("console-bots-loading"))} />
      <ul class="bots" aria-label=${t("console-bots-list")} ref=${list}>
        ${bots?.map((bot) => html`
          <li class="bot" key=${bot.id} data-id=${bot.id} data-state=${stateOf(bot)}>
            <p class="bot-head"><bdi class="bot-name">${nameOf(bot)}</bdi> <small class="bot-number">${bot.id}</small></p>
            <p class="bot-sign"><${Icon} name=${ICONS[stateOf(bot)]} /><span class="bot-state">${sayState(bot)}</span></p>
            ${code?.bot === bot.id && html`<${Pairing} key=${code.code} bot=${bot} name=${nameOf(bot)} code=${code} onOver=${endPairing} />`}
            <${Problem} text=${troubles[bot.id] ?? ""} />
            <p class="bot-actions">
              <button type="button" class="link" onClick=${() => pair(bot.id)}>${t("console-bots-pair")}</button>
              <button type="button" class="link" onClick=${() => disconnect(bot)}>${t("console-bots-disconnect")}</button>
            </p>
          </li>`)}
      </ul>
      <${ConnectForm} connect=${connect} field=${field} />
      <p class="announcer unseen" role="status">${announced}</p>
    <//>`;
}

const ICONS = { troubled: "cross", works: "check", waiting: "gear" };

const nameOf = (/** @type {Bot} */ { id, username }) => username ? `@${username}` : id;
const stateOf = (/** @type {Bot} */ { username, trouble }) => trouble ? "troubled" : username ? "works" : "waiting";
const sayState = (/** @type {Bot} */ { username, trouble }) => trouble ?? t(username ? "console-bots-works" : "console-bots-connecting");

/** The list, looked at again and again for as long as it is in sight. */
function useBots() {
  const [bots, setBots] = useState(/** @type {Bot[] | null} */ (null));
  const [problem, setProblem] = useState("");
  const [announced, announce] = useState(""); // Each line of the list is said to screen readers only when it changes.
  const known = useRef(/** @type {Bot[] | null} */ (null));
  const asked = useRef(0);
  const timer = useRef(/** @type {any} */ (0));

  function show(/** @type {Bot[]} */ found) {
    for (const before of known.current ?? []) {
      const bot = found.find(({ id }) => id === before.id);
      if (!bot) announce(t("console-bots-disconnected", { bot: nameOf(before) }));
      else if (bot.trouble !== before.trouble) announce(`${nameOf(bot)}: ${sayState(bot)}`);
    }
    known.current = found;
    setBots(found);
  }

  async function look() {
    clearTimeout(timer.current);
    const mine = ++asked.current;
    if (!document.hidden) {
      try {
        const answer = await api.listBots();
        if (mine !== asked.current) return;
        setProblem("");
        // A bot that has just been connected has not heard its own name yet; the answer to its token had it.
        show(answer.bots.map((/** @type {Bot} */ bot) =>
          ({ ...bot, username: bot.username || (known.current?.find(({ id }) => id === bot.id)?.username ?? "") })));
      } catch (error) {
        if (mine !== asked.current) return;
        setProblem(/** @type {Error} */ (error).message);
      }
    }
    timer.current = setTimeout(look, LOOK_AGAIN_AFTER);
  }

  const put = (/** @type {Bot} */ bot) => {
    const others = (known.current ?? []).filter(({ id }) => id !== bot.id);
    show([...others, bot]);
  };

  useEffect(() => {
    look();
    return () => {
      clearTimeout(timer.current);
      asked.current = NaN; // What is still under way comes too late.
    };
  }, []);
  return { bots, problem, announced, put, look, announce };
}
