// The field that finds people and chats by their names.
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";

/** @param {{ words: string, onWords: (words: string) => void }} props */
export const Search = ({ words, onWords }) => html`
  <input type="search" aria-label=${t("console-door-filter")} placeholder=${t("console-door-filter")} value=${words}
         onInput=${(/** @type {any} */ { target }) => onWords(target.value)} />`;
