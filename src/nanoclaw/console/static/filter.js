// Finding by words.

/** Whether all that is written in the field is found in one of the things. @param {string} written @param {unknown[]} things */
export function fits(written, things) {
  const text = things.join(" ").toLocaleLowerCase();
  return written.toLocaleLowerCase().split(/\s+/).every((word) => text.includes(word));
}
