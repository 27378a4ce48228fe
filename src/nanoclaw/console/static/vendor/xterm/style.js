// Ours: how xterm.js styles itself under a content security policy without inline styles.
//
// It writes rules into <style> elements, which the policy refuses. A sheet that a script made is allowed, so it is given
// an element that passes its text on to one.

export function makeStyle() {
  const sheet = new CSSStyleSheet();
  const element = document.createElement("i");
  element.hidden = true;
  Object.defineProperty(element, "textContent", { set: (/** @type {string} */ rules) => sheet.replaceSync(rules) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    Element.prototype.remove.call(element);
  };
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return element;
}
