import { noteNews, showDoor } from "../../door.js";
import { rooms } from "../../news.js";
import { makeOld } from "./panel.js";

export default makeOld("door", showDoor, rooms, noteNews);
