/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/people", section: "people", load: () => import("../old/people.js") },
  { pattern: "/explain", section: "people", load: () => import("./explain.js") },
];
