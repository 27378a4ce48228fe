// The addresses of pipelines.

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/pipelines", section: "pipelines", load: () => import("./templates.js") },
  { pattern: "/pipelines/runs", section: "pipelines", load: () => import("./runs.js") },
  { pattern: "/pipelines/runs/:run", section: "pipelines", load: () => import("./run.js") },
  { pattern: "/pipelines/runs/:run/again/:step", section: "pipelines", load: () => import("./again.js") },
  { pattern: "/pipelines/compare", section: "pipelines", load: () => import("./compare.js") },
  { pattern: "/pipelines/new", section: "pipelines", load: () => import("./new.js") },
  { pattern: "/pipelines/templates/:template/start", section: "pipelines", load: () => import("./start.js") },
  { pattern: "/pipelines/templates/:template/edit", section: "pipelines", load: () => import("./edit.js") },
];
