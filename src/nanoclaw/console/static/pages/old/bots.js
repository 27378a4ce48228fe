import { showBots } from "../../bots.js";
import { makeOld } from "./panel.js";

export default makeOld("bots", showBots);
