// The tasks that run at times of their own.
import { makeTaskList } from "./list.js";

export default makeTaskList("scheduled");
