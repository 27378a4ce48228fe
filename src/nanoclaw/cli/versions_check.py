"""What the doctor says about the workspace's git repository: whether commits are made, and whether they are shared."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nanoclaw.cli.database import with_store
from nanoclaw.cli.findings import CheckResult, Found
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.durable import notes
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.open_merges import OpenMerge, read_open
from nanoclaw.flows.syncing import report
from nanoclaw.flows.syncing.now import TROUBLE
from nanoclaw.flows.syncing.report import LastSync
from nanoclaw.flows.tasks.task_text import moment
from nanoclaw.git.command import GitFailed, GitUnready, is_installed
from nanoclaw.git.repository import Repository
from nanoclaw.host.settings import Settings
from nanoclaw.texts import tell


def look(home: Path, settings: Settings, found: Found) -> Iterator[CheckResult]:
    if not is_installed():
        return  # already reported
    try:
        head = Repository(home).head()
    except (GitUnready, GitFailed) as error:
        key = error.key if error.key in ("git-no-repository", "git-detached") else "git-unready"
        told = tell(settings.locale.speaks, error)
        yield found("repository", key, ok=False, reason=told, home=str(home))
    else:
        yield found("repository", "repository", branch=head.branch)

    def read(tx: Tx) -> tuple[Any, LastSync | None, list[OpenMerge]]:
        return notes.read(tx, TROUBLE), report.read(tx), read_open(tx)

    trouble, last, open_merges = with_store(home, settings, read)
    if settings.memory.push and last and not trouble:
        at = moment(last.at, settings.locale)
        yield found("remote", "synced", remote=settings.memory.remote, at=at)
    if trouble and settings.memory.push:
        reason = tell(settings.locale.speaks, NanoClawError(trouble["key"], **trouble["values"]))
        yield found("remote", "remote", ok=False, reason=reason, times=trouble["times"])
    for each in open_merges:
        yield found("merge", "merge-open", ok=None, files=", ".join(each.paths)[:300])
