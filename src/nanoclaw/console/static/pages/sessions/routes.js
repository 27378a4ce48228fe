// The addresses of interactive sessions.
const session = () => import("./session.js");

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/sessions", section: "sessions", load: () => import("./list.js") },
  { pattern: "/sessions/:session", section: "sessions", load: session },
  { pattern: "/sessions/:session/:place", section: "sessions", load: session },
];
