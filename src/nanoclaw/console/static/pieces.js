// The pieces of the page: finding one, copying a template, and filling in what several of them have.
import { moment } from "./texts.js";

export const byId = (id) => document.getElementById(id);

export const copyOf = (templateId) => byId(templateId).content.firstElementChild.cloneNode(true);

export function setIcon(element, name) {
  element.querySelector("use").setAttribute("href", `/static/icons.svg#${name}`);
}

export function setTime(element, at, text) {
  element.dateTime = at;
  element.textContent = text;
  element.title = moment(at);
}
