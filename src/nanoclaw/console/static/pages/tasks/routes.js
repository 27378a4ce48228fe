/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/tasks", section: "tasks", load: () => import("../old/tasks.js") },
];
