// How fast people decide, and how often nobody does: as a plot and as a table.
import * as api from "./api.js";
import { copyOf, byId } from "./pieces.js";
import { drawBars } from "./plot.js";
import { duration, percent, t } from "./texts.js";

const part = byId("figures");
const days = part.querySelector("select");
const MOST_BARS = 8; // The table has all of them.

days.addEventListener("change", () => showFigures().catch((error) => {
  part.querySelector(".problem").textContent = error.message;
}));

export async function showFigures(isStale = () => false) {
  const figures = await api.readFigures(days.value);
  if (isStale()) return;
  part.querySelector(".problem").textContent = "";
  const { total, by_kind: kinds, by_skill: skills } = figures;
  const byKind = kinds.map((each) => ({ ...each, name: t(`console-question-${each.name.replace("_", "-")}`) }));
  const bySkill = skills.map((each) => ({ ...each, name: each.name === "-" ? t("console-figures-no-skill") : each.name }));
  part.hidden = false;
  part.querySelector(".plots").hidden = part.querySelector(".figures-table").hidden = total.asked === 0;
  part.querySelector(".summary").textContent = total.asked === 0 ? t("console-figures-none") : t("console-figures-summary", {
    count: total.asked,
    mean: time(total.mean),
    median: time(total.median),
    rate: percent(total.timeout_rate),
  });
  if (total.asked === 0) return;
  part.querySelector(".plots").replaceChildren(
    plotTimes(t("console-figures-times-by-kind"), byKind),
    plotRates(t("console-figures-rates-by-kind"), byKind),
    plotTimes(t("console-figures-times-by-skill"), bySkill),
    plotRates(t("console-figures-rates-by-skill"), bySkill),
  );
  const [all, ofKinds, ofSkills] = part.querySelectorAll("tbody");
  all.replaceChildren(rowOf({ ...total, name: t("console-figures-all") }));
  ofKinds.replaceChildren(...byKind.map(rowOf));
  ofSkills.replaceChildren(...bySkill.map(rowOf));
}

const time = (seconds) => seconds === null ? "–" : duration(seconds * 1000);

function rowOf({ name, asked, answered, timed_out: timedOut, mean, median, timeout_rate: rate }) {
  const row = copyOf("figure-template");
  const texts = [name, asked, answered, timedOut, time(mean), time(median), percent(rate)];
  [...row.children].forEach((cell, index) => { cell.textContent = texts[index]; });
  return row;
}

function plotTimes(caption, figures) {
  const longest = Math.max(...figures.map(({ mean, median }) => Math.max(mean ?? 0, median ?? 0)));
  return plot(caption, figures.map(({ name, mean, median }) => ({
    name,
    bars: [
      { className: "median", share: median / longest || 0, text: time(median), label: t("console-figures-median") },
      { className: "mean", share: mean / longest || 0, text: time(mean), label: t("console-figures-mean") },
    ].slice(0, median === null ? 1 : 2), // Where no person decided there is one dash.
  })), ["median", "mean"]);
}

function plotRates(caption, figures) {
  return plot(caption, figures.map(({ name, timeout_rate: rate }) => ({
    name,
    bars: [{ className: "rate", share: rate, text: percent(rate), label: t("console-figures-rate") }],
  })), []);
}

function plot(caption, groups, legend) {
  const figure = copyOf("plot-template");
  figure.querySelector(".caption").textContent = caption;
  for (const entry of figure.querySelectorAll("[data-bar]")) entry.hidden = !legend.includes(entry.dataset.bar);
  figure.append(drawBars(caption, groups.slice(0, MOST_BARS)));
  return figure;
}
