// The addresses of batches.

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/batches", section: "batches", load: () => import("./list.js") },
  { pattern: "/batches/new", section: "batches", load: () => import("./new.js") },
  { pattern: "/batches/:batch", section: "batches", load: () => import("./batch.js") },
  { pattern: "/batches/:batch/review", section: "batches", load: () => import("./review.js") },
  { pattern: "/batches/:batch/schedule", section: "batches", load: () => import("./schedule.js") },
];
