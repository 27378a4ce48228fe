// How the workspace is shared through git: when the remote was last met, why it does not work, and meeting it now.
import { get, post } from "../../call.js";
import { useAction } from "../../components/form.js";
import { Icon } from "../../components/icon.js";
import { Problem } from "../../components/problem.js";
import { Time } from "../../components/time.js";
import { useLookup } from "../../lookup.js";
import { questions } from "../../news.js";
import { t } from "../../texts.js";
import { html, useState } from "../../vendor/index.js";

/** @import { Synced } from "api" */

const PARTS = /** @type {const} */ (["came", "waits", "refused", "results", "went"]);

/** Only where something is shared. @param {{ onChange: () => unknown }} props */
export function SyncPlace({ onChange }) {
  const { data, look } = useLookup(() => get("/api/sync", {}), { news: questions });
  const [done, setDone] = useState(/** @type {Synced | null} */ (null));
  const { isBusy, problem, run } = useAction();
  if (!data?.remote) return null;
  const sync = () => run(async () => {
    setDone(null);
    try {
      setDone(await post("/api/sync", {}));
      await onChange();
    } finally {
      await look();
    }
  });
  return html`
    <section class="sync-place" aria-labelledby="sync-title" aria-busy=${isBusy ? "true" : null}>
      <div>
        <h2 id="sync-title">${t("console-sync")} <code>${data.remote}</code></h2>
        <p class="quiet">${data.at ? html`${t("console-sync-last")} <${Time} at=${data.at} />` : t("console-sync-never")}</p>
        ${!problem && data.trouble && html`<p class="problem">${data.trouble}</p>`}
      </div>
      <button type="button" class="button" onClick=${sync}><${Icon} name="again" /> ${t(isBusy ? "console-sync-busy" : "console-sync-now")}</button>
      <div class="sync-news" role="status">${done && html`<${Done} done=${done} />`}</div>
      <${Problem} text=${problem} />
    </section>`;
}

/** @param {{ done: Synced }} props */
function Done({ done }) {
  const parts = PARTS.filter((name) => done[name].length > 0);
  if (!parts.length) return t("console-sync-nothing");
  return html`
    <dl class="facts">
      ${parts.map((name) => html`
        <dt key=${name}>${t(`console-sync-${name}`)}</dt>
        <dd>
          ${done[name].map((path) => html`<code class="sync-path">${path}</code>`)}
          ${name === "waits" && html`<a href="/inbox">${t("console-sync-decide")}</a>`}
        </dd>`)}
    </dl>`;
}
