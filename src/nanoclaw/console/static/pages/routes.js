// Every address of the page: which page it is, and which entry of the bar it belongs to.
import { match, path } from "../router.js";
import { computed } from "../vendor/index.js";
import { ROUTES as batches } from "./batches/routes.js";
import { ROUTES as chats } from "./chats/routes.js";
import { ROUTES as context } from "./context/routes.js";
import { ROUTES as costs } from "./costs/routes.js";
import { ROUTES as handoffs } from "./handoffs/routes.js";
import { ROUTES as inbox } from "./inbox/routes.js";
import { ROUTES as memory } from "./memory/routes.js";
import { ROUTES as people } from "./people/routes.js";
import { ROUTES as pipelines } from "./pipelines/routes.js";
import { ROUTES as sessions } from "./sessions/routes.js";
import { ROUTES as tasks } from "./tasks/routes.js";
import { ROUTES as transfers } from "./transfers/routes.js";

/** @typedef {{ pattern: string, section: string, load: () => Promise<{ default: Function }> }} Route */

/** The first that fits is taken, so "/tasks/new" stands before "/tasks/:task". @type {Route[]} */
const ROUTES = [
  ...chats,
  ...inbox,
  ...sessions,
  ...tasks,
  ...pipelines,
  ...batches,
  ...handoffs,
  ...transfers,
  ...memory,
  ...people,
  ...context,
  ...costs,
  { pattern: "/bots", section: "bots", load: () => import("./bots/bots.js") },
  { pattern: "/connections", section: "connections", load: () => import("./connections.js") },
  { pattern: "/more", section: "more", load: () => import("./more.js") },
];

// The page of the address with the parts that the address names; null when there is no such page.
export const place = computed(() => {
  for (const route of ROUTES) {
    const parts = match(route.pattern, path.value);
    if (parts) return { route, parts };
  }
  return null;
});

export const section = computed(() => place.value?.route.section ?? "");
