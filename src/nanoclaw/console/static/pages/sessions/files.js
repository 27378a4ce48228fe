// The files that changed since the session was opened, each with its difference.
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { Diff } from "../context/diff.js";

/** @import { ChangedFile, WholeSession } from "api" */

/** @param {{ session: WholeSession, look: () => Promise<void> }} props */
export function ChangedFiles({ session: { files, live }, look }) {
  const again = html`<button type="button" class="link quiet" onClick=${look}>${t("console-session-files-again")}</button>`;
  if (!files.length) {
    return html`
      <div class="session-empty">
        <p class="quiet">${t(live.opened_at ? "console-session-files-none" : "console-session-files-later")}</p>
        ${live.opened_at && !live.ended_at && again}
      </div>`;
  }
  return html`
    <div class="session-files">
      ${files.map((file) => html`<${Changed} key=${file.path} file=${file} isOnly=${files.length < 4} />`)}
      ${!live.ended_at && html`<p>${again}</p>`}
    </div>`;
}

/** @param {{ file: ChangedFile, isOnly: boolean }} props */
const Changed = ({ file: { path, change, diff }, isOnly }) => html`
  <details class="changed-file" open=${isOnly}>
    <summary><code>${path}</code> <span class="mark" data-change=${change}>${t(`console-session-file-${change}`)}</span></summary>
    ${diff ? html`<${Diff} text=${diff.trimEnd()} />` : html`<p class="quiet">${t("console-session-file-unread")}</p>`}
  </details>`;
