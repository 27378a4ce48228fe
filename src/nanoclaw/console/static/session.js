// The token that opens the host, and what the page starts with.
//
// The token is kept in the storage of this origin and sent in a header. A cookie would not do: a browser sends it to
// every port of the machine, whatever listens there.
import { match } from "./router.js";

const KEY = "nanoclaw-token";

/** @typedef {import("api").Start & { texts: Record<string, string>, language: string, room: string | undefined }} Boot */

/** Texts and language are in the page itself; whatever belongs to someone comes with the token. @type {Boot} */
export const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "");

const token = takeToken();

// The printed link brings the token. It does not stay in the address, where it would be copied, shown or remembered.
function takeToken() {
  const address = new URL(location.href);
  const brought = address.searchParams.get("token");
  if (!brought) return kept();
  try {
    localStorage.setItem(KEY, brought);
  } catch {
    // A browser that keeps nothing: the link opens the page each time.
  }
  address.searchParams.delete("token");
  history.replaceState(history.state, "", address.href);
  return brought;
}

function kept() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

export const authorized = () => ({ Authorization: `Bearer ${token}` });

/** A WebSocket of a browser can send no header, but name protocols; the host chooses the first of these. */
export function socketProtocols() {
  const bytes = String.fromCharCode(...new TextEncoder().encode(token));
  const encoded = btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return ["nanoclaw.terminal", `nanoclaw.bearer.${encoded}`];
}

// False when this browser has not come through the link, or the link was changed since.
export async function start() {
  if (!token) return false;
  const response = await fetch("/api/page", { headers: authorized() });
  if (response.status === 401) return false;
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? boot.texts["console-error-server"]);
  const wanted = match("/chats/:room", location.pathname)?.room;
  const room = answer.rooms.find((/** @type {import("api").Room} */ { id }) => id === wanted) ?? answer.rooms[0];
  Object.assign(boot, answer, { room: room?.id });
  return true;
}
