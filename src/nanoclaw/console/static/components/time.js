// A moment: short on the screen, in full when pointed at, and exact for programs.
import { moment, shortTime } from "../texts.js";
import { html } from "../vendor/index.js";

/** @param {{ at: string, text?: string, class?: string }} props */
export const Time = ({ at, text = shortTime(at), class: name }) => html`
  <time class=${name} datetime=${at} title=${moment(at)}>${text}</time>`;
