/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/people", section: "people", load: () => import("../old/people.js") },
];
