// All that the page takes from xterm.js, in one import; fetched only when a terminal is opened.
export { FitAddon } from "./fit.js";
export { Unicode11Addon } from "./unicode11.js";
export { Terminal } from "./xterm.js";
