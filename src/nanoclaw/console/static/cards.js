// The buttons under a line that asks for a decision: drawn with the line, and pressed.
import * as api from "./api.js";
import { byId } from "./pieces.js";

// A card that was decided has none any more, in every browser at once: its line comes anew.
export function drawButtons(row, buttons = []) {
  const place = row.querySelector(".choices");
  const drawn = JSON.stringify(buttons);
  if (place.dataset.drawn === drawn) return; // One of them may have the focus, or be pressed just now.
  const hadFocus = place.contains(document.activeElement);
  place.dataset.drawn = drawn;
  place.replaceChildren(...buttons.map(({ label, data }) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: label });
    Object.assign(button.dataset, { action: "press", data });
    return button;
  }));
  row.querySelector(".pressed").textContent = "";
  if (hadFocus) byId("scroller").focus({ preventScroll: true });
}

const ASKS_FOR_NAME = ":create"; // How the data of "Create new" ends: what is written next is the name.

export async function press(room, button) {
  const row = button.closest(".row");
  const place = row.querySelector(".choices");
  const told = row.querySelector(".pressed");
  if (place.ariaBusy === "true") return;
  place.ariaBusy = "true";
  told.textContent = "";
  try {
    const { text, taken } = await api.pressButton(room, row.dataset.id, button.dataset.data);
    // The line itself says what was decided, and may have come before this answer.
    if (!taken || place.childElementCount) told.textContent = text;
    told.classList.toggle("problem", !taken);
    if (taken && button.dataset.data.endsWith(ASKS_FOR_NAME)) byId("text").focus();
  } catch (error) {
    told.classList.add("problem");
    told.textContent = error.message;
  } finally {
    place.ariaBusy = null;
  }
}
