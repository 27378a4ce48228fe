// What was done on the page before, told on the next.
import { signal } from "../../vendor/index.js";

export const told = signal("");

export function takeTold() {
  const text = told.peek();
  told.value = "";
  return text;
}
