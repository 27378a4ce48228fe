// The colour theme: as the device says, always light, or always dark. Runs before the first paint.
"use strict";
{
  const THEMES = ["auto", "light", "dark"];
  const root = document.documentElement;
  root.dataset.theme = localStorage.getItem("theme") ?? "auto";

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const show = () => {
      const chosen = root.dataset.theme;
      button.querySelector("use").setAttribute("href", `/static/icons.svg#${chosen}`);
      button.title = button.ariaLabel = button.dataset[chosen];
    };
    button.addEventListener("click", () => {
      root.dataset.theme = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length];
      localStorage.setItem("theme", root.dataset.theme);
      show();
    });
    show();
  });
}
