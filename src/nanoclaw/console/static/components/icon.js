// A small picture, and a button that is nothing but one.
import { html } from "../vendor/index.js";

/** @param {{ name: string }} props */
export const Icon = ({ name }) => html`
  <svg class="icon" aria-hidden="true"><use href=${`/static/icons.svg#${name}`}></use></svg>`;

/**
 * A button that shows only a picture has its name in words for people who cannot see it, or point at it.
 * @param {{ icon: string, label: string } & Record<string, unknown>} props
 */
export const IconButton = ({ icon, label, children, ...rest }) => html`
  <button type="button" class="icon-button" aria-label=${label} title=${label} ...${rest}><${Icon} name=${icon} />${children}</button>`;

/** @param {{ icon: string, label: string, href: string } & Record<string, unknown>} props */
export const IconLink = ({ icon, label, children, ...rest }) => html`
  <a class="icon-button" aria-label=${label} title=${label} ...${rest}><${Icon} name=${icon} />${children}</a>`;
