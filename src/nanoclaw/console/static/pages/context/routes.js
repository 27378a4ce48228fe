// The addresses of a company's context.

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/context", section: "context", load: () => import("./files.js") },
  { pattern: "/context/:area/:name", section: "context", load: () => import("./file.js") },
  { pattern: "/context/:area/:name/edit", section: "context", load: () => import("./edit.js") },
  { pattern: "/context/:area/:name/history", section: "context", load: () => import("./history.js") },
];
