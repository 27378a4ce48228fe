// What agents may do with tools without asking again, until someone takes it back.
import * as api from "./api.js";
import { complain, putAll } from "./editing.js";
import { byId, setTime } from "./pieces.js";
import { shortTime, t } from "./texts.js";

const part = byId("inbox-permits");
const list = part.querySelector("ul");
const settled = part.querySelector(".settled");

export async function showPermits(isStale) {
  const { permits } = await api.listPermits();
  if (isStale()) return;
  putAll(list, permits, { keyOf: ({ id }) => id, template: "permit-template", draw: drawPermit });
  return permits.length ? "" : t("console-permits-none");
}

function drawPermit(row, permit) {
  const part = (selector) => row.querySelector(selector);
  const { tool, scope, group, rule, shown, granted_name: name, created_at: at, expires_at: until } = permit;
  row.ariaLabel = tool;
  part(".permit-tool").textContent = tool;
  part(".scope").textContent = t(`console-permit-${scope}`);
  part(".permit-group").textContent = group;
  part(".rule").textContent = rule;
  part(".granted").textContent = t("console-permit-granted", { name });
  setTime(part("time"), at, shortTime(at));
  part(".until").textContent = until ? t("console-permit-until", { until: shortTime(until) }) : "";
  part("pre").hidden = !shown;
  part("pre").textContent = shown;
  part("button").onclick = () => revoke(row, permit);
}

async function revoke(row, { id, tool }) {
  if (row.ariaBusy === "true") return;
  row.ariaBusy = "true";
  complain(row, "");
  try {
    await api.revokePermit(id);
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    settled.textContent = t("console-permit-revoked", { text: tool });
    (next?.querySelector("button") ?? settled).focus();
  } catch (error) {
    complain(row, error.message);
  } finally {
    row.ariaBusy = null;
  }
}
