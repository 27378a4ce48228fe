import { showConnections } from "../../connections.js";
import { makeOld } from "./panel.js";

export default makeOld("connections", showConnections);
