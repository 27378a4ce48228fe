// The connection of a terminal: a WebSocket that is opened again, more and more patiently, when it breaks.
import { get } from "../../call.js";
import { socketProtocols } from "../../session.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const MOST = 32 * 1024; // Bytes of a frame; something big that is pasted goes in several.
const OVER = [1000, 1008, 4000]; // The host ended it, and coming back would change nothing.

/**
 * @typedef {{ up: () => void, down: () => void, bytes: (piece: Uint8Array) => void, typist: (isTypist: boolean) => void,
 *   over: (sentence: string, isProblem: boolean) => void }} Events
 */

/**
 * `size()` is asked at each attempt. Gives what a terminal does with it.
 * @param {string} session
 * @param {() => { rows: number, cols: number }} size
 * @param {Events} on
 */
export function connect(session, size, on) {
  const coder = new TextEncoder();
  /** @type {WebSocket | undefined} */
  let socket;
  let timer = 0;
  let failures = 0;
  let isClosed = false;
  let said = { sentence: "", isProblem: false };

  function open() {
    const { rows, cols } = size();
    const mine = socket = new WebSocket(
      `ws://${location.host}/api/sessions/${encodeURIComponent(session)}/terminal?rows=${rows}&cols=${cols}`, socketProtocols(),
    );
    mine.binaryType = "arraybuffer";
    mine.addEventListener("open", () => {
      failures = 0;
      on.up();
    });
    mine.addEventListener("message", ({ data }) => {
      if (typeof data === "string") hear(JSON.parse(data));
      else on.bytes(new Uint8Array(data));
    });
    mine.addEventListener("close", ({ code }) => {
      if (isClosed || mine !== socket) return;
      if (OVER.includes(code)) return on.over(said.sentence, said.isProblem);
      on.down();
      get("/api/sessions/{session}", { session }).catch(() => {}); // If the page was locked out, this call notices.
      timer = setTimeout(open, Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures++) * (0.8 + Math.random() * 0.4));
      return undefined;
    });
  }

  /** @param {{ typist?: boolean, ended?: string, problem?: string }} told */
  function hear({ typist, ended, problem }) {
    if (typist !== undefined) on.typist(typist);
    if (ended !== undefined) said = { sentence: ended, isProblem: false };
    if (problem !== undefined) said = { sentence: problem, isProblem: true };
  }

  const isUp = () => socket?.readyState === WebSocket.OPEN;
  open();
  return {
    /** @param {string | Uint8Array} typed */
    write(typed) {
      const bytes = typeof typed === "string" ? coder.encode(typed) : typed;
      for (let start = 0; isUp() && start < bytes.length; start += MOST) socket?.send(bytes.subarray(start, start + MOST));
    },
    /** @param {{ rows: number, cols: number }} wanted */
    resize({ rows, cols }) {
      if (isUp()) socket?.send(JSON.stringify({ resize: [rows, cols] }));
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}
