// The "Tasks" panel: what is scheduled, what runs in the background, and both on a calendar.
import { showCalendar } from "./calendar.js";
import { byId } from "./pieces.js";
import { lookAtRuns } from "./runs.js";
import { makeTabs, oneByOne } from "./tabs.js";
import { makeTaskList } from "./task-list.js";

const tasks = makeTabs(byId("tasks"), {
  scheduled: makeTaskList(byId("tasks-scheduled"), "scheduled"),
  background: makeTaskList(byId("tasks-background"), "background"),
  calendar: showCalendar,
});

export const showTasks = tasks.open;

const BREATH = 250; // Milliseconds: when a thousand tasks are due at once, each of them has news.

// A task was changed, or a run of it began or ended, here or anywhere else.
export const noteTasks = oneByOne(async () => {
  if (!tasks.inSight()) return;
  await tasks.look();
  await lookAtRuns();
  await new Promise((resolve) => { setTimeout(resolve, BREATH); });
});
