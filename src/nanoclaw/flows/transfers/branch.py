"""Flow B. A package as its own git branch, `transfer/{id}`, and what comes back on it."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.domain.transfers import FOLDER, Transfer
from nanoclaw.flows.transfers.trouble import written_down
from nanoclaw.git.branches import Branches
from nanoclaw.git.command import GitFailed, GitUnready
from nanoclaw.git.repository import Repository
from nanoclaw.texts import say

log = structlog.get_logger("transfers")

RESULT = f"{FOLDER}/analysis.md"
"""The file in which a result comes back on the branch."""
_ID = re.compile(r"[A-Za-z0-9_]{1,64}")


@dataclass(frozen=True, kw_only=True, slots=True)
class ReturnedDocument:
    """A document that somebody committed as `session_transfer/analysis.md` on the branch of a transfer."""

    transfer_id: str
    commit: str
    content: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferBranches:
    """`remote` is the one the workspace is shared through; None: the branch stays here."""

    home: Path
    remote: str | None = None

    async def publish(self, transfer: Transfer, folder: Path) -> dict[str, Any]:
        """Returns `{"branch": ..., "commit": ..., "pushed": bool}`; `trouble` says why it was not pushed.
        Repeatable. Raises GitUnready or GitFailed if there can be no branch at all.
        """
        return await asyncio.to_thread(self._publish, transfer, folder)

    async def push(self, transfer: Transfer) -> Mapping[str, Any]:
        """Push an existing branch. Empty if the remote has it now, otherwise `trouble` as above. Repeatable."""
        commit = (transfer.delivered_to or {})["commit"]
        branches = self._branches()
        return await asyncio.to_thread(_attempt, lambda: branches.push(branch_of(transfer.id), commit))

    async def remove(self, transfer: Transfer) -> dict[str, Any]:
        """Remove the branch here and on the remote. `{"removed": bool}`, with `trouble` as above if something
        stays. Repeatable.
        """
        return await asyncio.to_thread(self._remove, transfer)

    def returned(self, transfer_ids: Iterable[str]) -> list[ReturnedDocument]:
        """Results on the branches of these transfers that were not marked as read. Blocks: use a thread.
        Raises GitFailed if the remote cannot be reached. Costs nothing without such transfers.
        """
        if self.remote is None or not (wanted := {branch_of(each): each for each in transfer_ids}):
            return []
        branches = self._branches()
        found = []
        for branch, commit in branches.there(list(wanted)).items():
            known = branches.known(branch)
            if branches.is_read(branch, commit) or not branches.fetch(branch, commit):
                continue
            content = branches.read(commit, RESULT)
            if content and content != (known and branches.read(known, RESULT)):
                found.append(ReturnedDocument(transfer_id=wanted[branch], commit=commit, content=content))
        return found

    def mark_read(self, returned: ReturnedDocument) -> None:
        """Mark a result as taken in: only then may the branch be deleted. Blocks: use a thread."""
        self._branches().mark_known(branch_of(returned.transfer_id), returned.commit)

    def _publish(self, transfer: Transfer, folder: Path) -> dict[str, Any]:
        branches, branch = self._branches(), branch_of(transfer.id)
        files = {
            f"{FOLDER}/{path.relative_to(folder).as_posix()}": path
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
        message = say(transfer.language, "transfer-commit", transfer=transfer.id)
        commit = branches.make(branch, files, message)
        made = {"branch": branch, "commit": commit, "pushed": False}
        if self.remote is None:
            return made
        trouble = _attempt(lambda: branches.push(branch, commit))
        return {**made, "pushed": not trouble, **trouble}

    def _remove(self, transfer: Transfer) -> dict[str, Any]:
        branches, commit = self._branches(), (transfer.delivered_to or {}).get("commit")
        trouble = _attempt(lambda: branches.remove(branch_of(transfer.id), commit))
        return {"removed": not trouble, **trouble}

    def _branches(self) -> Branches:
        return Branches(Repository(self.home), self.remote)


def branch_of(transfer_id: str) -> str:
    if not _ID.fullmatch(transfer_id):
        raise ValueError(f"no id of a transfer: {transfer_id!r}")
    return f"transfer/{transfer_id}"


def _attempt(act: Callable[[], None]) -> Mapping[str, Any]:
    try:
        act()
    except (GitFailed, GitUnready) as error:
        log.warning("branch of a transfer not pushed or removed", reason=error)
        return {"trouble": written_down(error)}
    return {}
