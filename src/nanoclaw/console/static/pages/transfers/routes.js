// The addresses of transfers.

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/transfers", section: "transfers", load: () => import("./list.js") },
  { pattern: "/transfers/:transfer", section: "transfers", load: () => import("./transfer.js") },
];
