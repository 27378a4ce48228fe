// The agent groups, and how a new one is made.
import * as api from "./api.js";
import { putAll, putOptions } from "./editing.js";
import { byId } from "./pieces.js";
import { t } from "./texts.js";

const part = byId("door-groups");
const form = part.querySelector("form");
const { name, company, "new-company": newCompany } = form.elements;

export async function showGroups(isStale) {
  const { groups, companies } = await api.listGroups();
  if (isStale()) return;
  putAll(part.querySelector("tbody"), groups, { keyOf: (group) => group.name, template: "group-template", draw: drawGroup });
  const chosen = company.value;
  putOptions(company, companies.map((each) => ({ value: each, label: each })));
  company.value = companies.includes(chosen) ? chosen : (companies[0] ?? "");
  showNewCompany();
}

function drawGroup(row, group) {
  const put = (selector, text) => { row.querySelector(selector).textContent = text; };
  put(".group-name", group.name);
  put(".group-company", group.company || t("console-groups-unreadable"));
  put(".group-chats", group.chats);
  row.querySelector(".main-mark").hidden = !group.main;
  row.classList.toggle("faulty", !group.company);
}

// The option without a value is the one that asks for a name.
function showNewCompany() {
  newCompany.closest("label").hidden = company.value !== "";
}

company.addEventListener("change", () => {
  showNewCompany();
  if (company.value === "") newCompany.focus();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  tell("", "");
  try {
    const made = await api.foundGroup(name.value.trim(), company.value || newCompany.value.trim());
    form.reset();
    await showGroups(() => false);
    tell("", t("console-groups-made", { group: made.name }));
  } catch (error) {
    tell(error.message, "");
  } finally {
    form.ariaBusy = null;
  }
});

function tell(problem, done) {
  form.querySelector(".problem").textContent = problem;
  form.querySelector(".done").textContent = done;
  if (problem) name.focus();
}
