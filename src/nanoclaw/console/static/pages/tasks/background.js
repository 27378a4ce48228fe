// The work that was handed over, and runs in the background.
import { makeTaskList } from "./list.js";

export default makeTaskList("background");
