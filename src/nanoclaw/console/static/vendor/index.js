// All that a page takes from the vendored libraries, in one import.
import { h } from "./preact.js";
import htm from "./htm.js";

export { Fragment, h, render } from "./preact.js";
export { useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from "./hooks.js";
export { batch, computed, effect, signal, useComputed, useSignal } from "./signals.js";

// html`<p class="quiet">${text}</p>`: text is always text, never HTML.
export const html = htm.bind(h);
