// The addresses of tasks and the calendar.
const task = () => import("./task.js");

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/tasks", section: "tasks", load: () => import("./scheduled.js") },
  { pattern: "/tasks/background", section: "tasks", load: () => import("./background.js") },
  { pattern: "/tasks/new", section: "tasks", load: () => import("./new.js") },
  { pattern: "/tasks/hand-over", section: "tasks", load: () => import("./hand-over.js") },
  { pattern: "/tasks/:task", section: "tasks", load: task },
  { pattern: "/tasks/:task/edit", section: "tasks", load: () => import("./edit.js") },
  { pattern: "/tasks/:task/runs/:run", section: "tasks", load: task },
  { pattern: "/calendar", section: "tasks", load: () => import("./calendar.js") },
  { pattern: "/calendar/:day", section: "tasks", load: () => import("./day.js") },
];
