"""What the doctor says about the workspace's git repository: whether commits are made, and whether they are shared."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nanoclaw.cli.database import with_store
from nanoclaw.cli.findings import Finding, Found
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.durable import notes
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.open_merges import OpenMerge, read_open
from nanoclaw.flows.versions import TROUBLE
from nanoclaw.git.command import GitFailed, GitUnready, is_installed
from nanoclaw.git.repository import Repository
from nanoclaw.host.settings import Settings
from nanoclaw.texts import tell


def look(home: Path, settings: Settings, found: Found) -> Iterator[Finding]:
    if not is_installed():
        return  # said already
    try:
        head = Repository(home).head()
    except (GitUnready, GitFailed) as error:
        key = error.key if error.key in ("git-no-repository", "git-detached") else "git-unready"
        told = tell(settings.locale.speaks, error)
        yield found("repository", key, ok=False, reason=told, home=str(home))
    else:
        yield found("repository", "repository", branch=head.branch)

    def read(tx: Tx) -> tuple[Any, list[OpenMerge]]:
        return notes.read(tx, TROUBLE), read_open(tx)

    trouble, open_merges = with_store(home, settings, read)
    if trouble and settings.memory.push:
        reason = tell(settings.locale.speaks, NanoClawError(trouble["key"], **trouble["values"]))
        yield found("remote", "remote", ok=False, reason=reason, times=trouble["times"])
    for each in open_merges:
        yield found("merge", "merge-open", ok=None, files=", ".join(each.paths)[:300])
