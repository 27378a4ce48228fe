// The addresses of what companies know.
/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/memory", section: "memory", load: () => import("./search.js") },
  { pattern: "/memory/new", section: "memory", load: () => import("./new.js") },
  { pattern: "/memory/notes", section: "memory", load: () => import("./notes.js") },
  { pattern: "/memory/quarantine", section: "memory", load: () => import("./quarantine.js") },
  { pattern: "/memory/:entry", section: "memory", load: () => import("./entry.js") },
];
