import { showDoor } from "../../door.js";
import { makeOld } from "./panel.js";

export default makeOld("door", showDoor);
