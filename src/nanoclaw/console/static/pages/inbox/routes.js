/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/inbox", section: "inbox", load: () => import("../old/inbox.js") },
  { pattern: "/figures", section: "inbox", load: () => import("./figures.js") },
];
