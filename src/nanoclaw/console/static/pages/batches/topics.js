// Topics that a person pasted, or has in a file: the first column of .csv, the listed items of .md, otherwise each line.

const ITEM = /^\s*(?:[-*+•]|\d{1,6}[.)])\s+(?:\[[ xX]\]\s+)?(.+)$/;

/** Without empty lines and without exact repeats. @param {string} name @param {string} content */
export function topicsIn(name, content) {
  const lines = content.replace(/^\uFEFF/, "").split(/\r?\n/);
  const listed = name.endsWith(".md") ? lines.map((line) => ITEM.exec(line)?.[1] ?? "") : [];
  const found = name.endsWith(".csv") ? lines.map(firstColumn) : listed.some(Boolean) ? listed : lines;
  return [...new Set(found.map((line) => line.trim().replace(/\s+/g, " ")).filter(Boolean))];
}

/** @param {string} line */
function firstColumn(line) {
  const quoted = /^\s*"((?:[^"]|"")*)"/.exec(line);
  return quoted ? quoted[1].replaceAll('""', '"') : line.split(/[,;\t]/)[0];
}
