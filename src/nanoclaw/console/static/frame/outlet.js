// Shows the page of the address. Its scripts are fetched when it is first wanted; the page before stays until they are here.
import { Page } from "../components/page.js";
import { Nowhere } from "../pages/nowhere.js";
import { place } from "../pages/routes.js";
import { t } from "../texts.js";
import { html, useEffect, useErrorBoundary, useRef, useState } from "../vendor/index.js";

export function Outlet() {
  const found = place.value;
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const [attempt, setAttempt] = useState(0);
  const parts = useRef({});
  useEffect(() => {
    if (!found) return undefined;
    let isStale = false;
    found.route.load().then(
      (/** @type {any} */ module) => { if (!isStale) setShown({ route: found.route, View: module.default }); },
      () => { if (!isStale) setShown({ route: found.route, View: Unreachable, again: () => setAttempt(attempt + 1) }); },
    );
    return () => { isStale = true; };
  }, [found?.route, attempt]);
  if (!found) return html`<${Nowhere} />`;
  if (!shown) return null;
  // The parts of an address belong to its own page; the one before keeps those it had.
  const { View, route, again } = shown;
  if (route === found.route) parts.current = found.parts;
  return html`<${Guarded} key=${route.load} View=${View} again=${again} parts=${parts.current} />`;
}

/** A fault in one page leaves the way to the others. @param {{ View: any, again?: () => void, parts: object }} props */
function Guarded({ View, again, parts }) {
  const [fault, forget] = useErrorBoundary((error) => reportError(error));
  return fault ? html`<${Broken} again=${forget} />` : html`<${View} again=${again} ...${parts} />`;
}

/** @param {{ again: () => void }} props */
const Broken = ({ again }) => html`
  <${Page} title=${t("console-product")}>
    <p role="alert">${t("console-error-page")}</p>
    <p><button type="button" class="button" onClick=${again}>${t("console-try-again")}</button></p>
  <//>`;

/** @param {{ again: () => void }} props */
const Unreachable = ({ again }) => html`
  <${Page} title=${t("console-product")}>
    <p role="alert">${t("console-error-network")}</p>
    <p><button type="button" class="button" onClick=${again}>${t("console-try-again")}</button></p>
  <//>`;
