import { showTasks } from "../../tasks.js";
import { makeOld } from "./panel.js";

export default makeOld("tasks", showTasks);
