// The colour theme that was chosen here. Runs before the first paint, or the page would flash.
"use strict";
document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "auto";
