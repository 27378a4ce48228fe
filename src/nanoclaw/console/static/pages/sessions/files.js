// The files that changed since the session was opened, each with its difference.
import { useNews } from "../../news.js";
import * as news from "../../news.js";
import { t } from "../../texts.js";
import { html } from "../../vendor/index.js";
import { Diff } from "../context/diff.js";

/** @import { ChangedFile, WholeSession } from "api" */

/** Whatever the agent says may mean that it changed something. */
const changes = news.calmed(news.rooms);

/** @param {{ session: WholeSession, look: () => Promise<void> }} props */
export function ChangedFiles({ session: { files, live }, look }) {
  useNews(changes, look);
  if (!files.length) return html`<p class="quiet session-empty">${t(live.opened_at ? "console-session-files-none" : "console-session-files-later")}</p>`;
  return html`<div class="session-files">${files.map((file) => html`<${Changed} key=${file.path} file=${file} isOnly=${files.length < 4} />`)}</div>`;
}

/** @param {{ file: ChangedFile, isOnly: boolean }} props */
const Changed = ({ file: { path, change, diff }, isOnly }) => html`
  <details class="changed-file" open=${isOnly}>
    <summary><code>${path}</code> <span class="mark" data-change=${change}>${t(`console-session-file-${change}`)}</span></summary>
    ${diff ? html`<${Diff} text=${diff} />` : html`<p class="quiet">${t("console-session-file-unread")}</p>`}
  </details>`;
