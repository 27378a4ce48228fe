// The addresses of handoffs.

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/handoffs", section: "handoffs", load: () => import("./list.js") },
  { pattern: "/handoffs/:handoff", section: "handoffs", load: () => import("./handoff.js") },
];
