// The address of costs.

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/costs", section: "costs", load: () => import("./costs.js") },
];
