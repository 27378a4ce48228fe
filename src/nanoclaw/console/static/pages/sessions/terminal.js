// The terminal of a session: the agent's own screen, with a keyboard for one person; others may look on.
import { Sentence } from "../../components/list.js";
import { t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";
import { connect } from "./terminal-link.js";

/** @import { WholeSession } from "api" */

// Dark in either theme of the page: programs choose their colours for a dark terminal unless they are told.
const COLOURS = { background: "#0f1314", foreground: "#e3e9e8", cursor: "#67c9bf", selectionBackground: "#2f4f4d" };
const SCROLLBACK = 5000; // Lines
const RESET = [0x1b, 0x63]; // With this the host begins what it shows again.

/** Keys that the keyboard of a phone does not have. @type {[string, string][]} */
const KEYS = [
  ["Esc", "\x1b"], ["Tab", "\t"], ["⇧Tab", "\x1b[Z"], ["←", "\x1b[D"], ["↑", "\x1b[A"], ["↓", "\x1b[B"], ["→", "\x1b[C"], ["Ctrl-C", "\x03"],
];

/** @typedef {{ press: (keys: string) => void, end: () => void }} Shown */

/** @param {{ session: WholeSession, look: () => Promise<void> }} props */
export function TerminalPlace({ session: { question }, look }) {
  const [state, setState] = useState({ isUp: false, isTypist: true, sentence: "", isProblem: false, isOver: false });
  const [attempt, setAttempt] = useState(0);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const shown = useRef(/** @type {Shown | null} */ (null));
  useEffect(() => {
    let isLeft = false;
    const change = (/** @type {Partial<typeof state>} */ news) => setState((was) => ({ ...was, ...news }));
    show(/** @type {HTMLElement} */ (place.current), question.id, {
      change,
      over: () => { look(); },
      isLeft: () => isLeft,
    }).then((made) => {
      if (isLeft) made?.end();
      else shown.current = made;
    }, () => change({ sentence: t("console-error-network"), isProblem: true, isOver: true }));
    return () => {
      isLeft = true;
      shown.current?.end();
      shown.current = null;
    };
  }, [question.id, attempt]);
  useEffect(() => { if (state.isUp) look(); }, [state.isUp]); // The first terminal opens the session.
  const again = () => {
    setState({ isUp: false, isTypist: true, sentence: "", isProblem: false, isOver: false });
    setAttempt(attempt + 1);
  };
  return html`
    <p class="terminal-state quiet" role="status">
      ${state.isOver ? "" : !state.isUp ? t("console-session-connecting") : !state.isTypist ? t("console-session-watching") : ""}
    </p>
    <div class="session-terminal" data-state=${state.isOver ? "over" : !state.isUp ? "down" : state.isTypist ? "typing" : "watching"}
         ref=${place} role="application" aria-label=${t("console-session-terminal")}></div>
    ${!state.isOver && state.isTypist && html`
      <div class="terminal-keys" role="group" aria-label=${t("console-session-keys")}>
        ${KEYS.map(([name, keys]) => html`<button type="button" class="button" key=${name} onClick=${() => shown.current?.press(keys)}>${name}</button>`)}
      </div>`}
    ${state.isOver && html`
      <div class="terminal-over">
        <${Sentence} text=${state.sentence || t("console-session-terminal-over")} />
        <button type="button" class="button" onClick=${again}>${t("console-session-terminal-again")}</button>
      </div>`}`;
}

/**
 * @param {HTMLElement} place
 * @param {string} session
 * @param {{ change: (state: Record<string, unknown>) => void, over: () => void, isLeft: () => boolean }} tell
 * @returns {Promise<Shown | null>}
 */
async function show(place, session, { change, over, isLeft }) {
  const [{ FitAddon, Terminal, Unicode11Addon }] = await Promise.all([import("../../vendor/xterm/index.js"), style()]);
  if (isLeft()) return null;
  const font = getComputedStyle(document.documentElement).getPropertyValue("--mono");
  const terminal = new Terminal({
    allowProposedApi: true, // The widths of new characters are proposed API.
    cursorBlink: true, fontFamily: font, fontSize: 13, scrollback: SCROLLBACK, theme: COLOURS, macOptionIsMeta: true,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  terminal.open(place);
  terminal.textarea?.setAttribute("aria-label", t("console-session-terminal"));
  fit.fit();

  // A program asks a terminal what it is, and is answered as if somebody typed. What is shown again asks again, and must
  // not be answered: the program would take it for keys.
  let repeating = 0;
  const link = connect(session, () => terminal, {
    up() {
      terminal.reset(); // The host shows again what the screen showed.
      change({ isUp: true });
      terminal.focus();
    },
    down() {
      terminal.options.disableStdin = true; // Better no letter than one that is lost.
      change({ isUp: false });
    },
    bytes(piece) {
      const isRepeated = piece[0] === RESET[0] && piece[1] === RESET[1];
      if (isRepeated) repeating += 1;
      terminal.write(piece, () => { if (isRepeated) repeating -= 1; });
    },
    typist(isTypist) {
      terminal.options.disableStdin = !isTypist;
      change({ isTypist });
    },
    over(sentence, isProblem) {
      terminal.options.disableStdin = true;
      change({ sentence, isProblem, isOver: true });
      over();
    },
  });
  terminal.onData((data) => { if (!(repeating && data.startsWith("\x1b"))) link.write(data); });
  terminal.onBinary((data) => link.write(Uint8Array.from(data, (each) => each.charCodeAt(0))));
  terminal.onResize(link.resize);
  const watching = new ResizeObserver(() => fit.fit());
  watching.observe(place);
  return {
    press(keys) {
      terminal.input(keys);
      terminal.focus();
    },
    end() {
      watching.disconnect();
      link.close();
      terminal.dispose();
    },
  };
}

/** Its style sheet, once. */
function style() {
  const href = "/static/vendor/xterm/xterm.css";
  if (document.querySelector(`link[href="${href}"]`)) return undefined;
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  return new Promise((done, failed) => {
    sheet.addEventListener("load", done);
    sheet.addEventListener("error", failed);
    document.head.append(sheet);
  });
}
