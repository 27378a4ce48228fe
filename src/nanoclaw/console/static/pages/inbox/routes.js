// The addresses of the inbox.
/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/inbox", section: "inbox", load: () => import("./questions.js") },
  { pattern: "/inbox/:question", section: "inbox", load: () => import("./question.js") },
  { pattern: "/decisions", section: "inbox", load: () => import("./decisions.js") },
  { pattern: "/figures", section: "inbox", load: () => import("./figures.js") },
  { pattern: "/permits", section: "inbox", load: () => import("./permits.js") },
];
