// One wiring as a row that can be edited: when the agent engages, for whom, and what becomes of the rest.

const ALWAYS = "."; // The pattern that every message fits.

export function drawWiring(row, wiring) {
  const part = (selector) => row.querySelector(selector);
  const engage = wiring.engage === "pattern" && wiring.pattern === ALWAYS ? "always" : wiring.engage;
  row.ariaLabel = wiring.group;
  part(".wiring-group").textContent = wiring.group;
  part(".fault").textContent = wiring.fault ?? "";
  const { senders, ignored, priority } = wiring;
  const stored = { engage, pattern: engage === "pattern" ? wiring.pattern : "", senders, ignored, priority };
  for (const [name, value] of Object.entries(stored)) {
    const control = part(`[name=${name}]`);
    // The answer to an earlier change must not take away what is being written.
    if (!("unfinished" in control.dataset)) control.value = value;
  }
  showPattern(row);
}

export function begin(control) {
  control.dataset.unfinished = "";
}

export function finish(row, control) {
  for (const each of togetherWith(row, control)) {
    delete each.dataset.unfinished;
    delete each.dataset.refused;
    each.ariaInvalid = null;
  }
}

// What was written stays beside the reason why it is refused, to be mended. A choice is as quickly made again.
export function refuse(row, control, value) {
  const isLeft = control.name === "pattern" && row.querySelector("[name=engage]").value !== "pattern";
  if (!control.matches("input") || control.value !== value || isLeft) return; // Meanwhile it is something else.
  for (const each of togetherWith(row, control)) begin(each);
  control.dataset.refused = value;
  control.ariaInvalid = "true";
}

// "By a pattern" says nothing before the pattern is written.
export function isUnfinished(row, control) {
  showPattern(row);
  const pattern = row.querySelector("[name=pattern]");
  const isByPattern = row.querySelector("[name=engage]").value === "pattern";
  if (!["engage", "pattern"].includes(control.name) || !isByPattern || pattern.value.trim()) return false;
  for (const each of togetherWith(row, control)) begin(each);
  pattern.focus();
  return true;
}

// What changed, as the server wants to hear it.
export function wantedOf(row, { name, value }) {
  if (name === "priority") return { priority: value === "" ? null : Number(value) };
  if (name === "pattern") return { engage: "pattern", pattern: value };
  if (name === "engage" && value === "pattern") return { engage: value, pattern: row.querySelector("[name=pattern]").value };
  return { [name]: value };
}

// A mode and its pattern are one thing in two fields.
function togetherWith(row, control) {
  return ["engage", "pattern"].includes(control.name) ? row.querySelectorAll("[name=engage], [name=pattern]") : [control];
}

function showPattern(row) {
  row.querySelector("[name=pattern]").closest("label").hidden = row.querySelector("[name=engage]").value !== "pattern";
}
