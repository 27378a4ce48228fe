// The addresses of who may speak, and to whom.

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/people", section: "people", load: () => import("./people.js") },
  { pattern: "/people/:person", section: "people", load: () => import("./person.js") },
  { pattern: "/requests", section: "people", load: () => import("./requests.js") },
  { pattern: "/wirings", section: "people", load: () => import("./wirings.js") },
  { pattern: "/wirings/:chat", section: "people", load: () => import("./chat.js") },
  { pattern: "/groups", section: "people", load: () => import("./groups.js") },
  { pattern: "/drops", section: "people", load: () => import("./drops.js") },
  { pattern: "/audit", section: "people", load: () => import("./audit.js") },
  { pattern: "/explain", section: "people", load: () => import("./explain.js") },
];
