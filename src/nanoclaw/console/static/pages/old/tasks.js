import { tasks } from "../../news.js";
import { noteTasks, showTasks } from "../../tasks.js";
import { makeOld } from "./panel.js";

export default makeOld("tasks", showTasks, tasks, noteTasks);
