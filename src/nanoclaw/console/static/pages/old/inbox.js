import { showInbox } from "../../inbox.js";
import { makeOld } from "./panel.js";

export default makeOld("inbox", showInbox);
