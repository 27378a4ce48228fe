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

// A mode and its pattern are one thing in two fields.
export function finish(row, control) {
  const both = ["engage", "pattern"].includes(control.name) ? row.querySelectorAll("[name=engage], [name=pattern]") : [control];
  for (const each of both) delete each.dataset.unfinished;
}

// "By a pattern" says nothing before the pattern is written.
export function isUnfinished(row, control) {
  if (control.name !== "engage") return false;
  showPattern(row);
  const pattern = row.querySelector("[name=pattern]");
  if (control.value !== "pattern" || pattern.value.trim()) return false;
  begin(control);
  pattern.focus();
  return true;
}

// What changed, as the server wants to hear it.
export function wantedOf(row, { name, value }) {
  if (name === "priority") return { priority: value === "" ? null : Math.trunc(Number(value)) };
  if (name === "pattern") return { engage: "pattern", pattern: value };
  return { [name]: value };
}

function showPattern(row) {
  row.querySelector("[name=pattern]").closest("label").hidden = row.querySelector("[name=engage]").value !== "pattern";
}
