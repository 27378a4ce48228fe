"""Carries out a planned merge: files one by one, the branch last.

The plan is written down first. If killed in between, the next start continues: files that are done are
recognised, and the branch moves only when all of them are.
"""

import json
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.git.command import GitFailed
from nanoclaw.git.line_merge import merge_lines
from nanoclaw.git.merge import Conflict, LeavesRights, MergePlan, Planning
from nanoclaw.git.paths import SyncedFileKind, company_of, is_memory, is_skill, kind_of
from nanoclaw.git.repository import Head, Repository
from nanoclaw.git.section_merge import merge_sections
from nanoclaw.git.staged import TreeEntry
from nanoclaw.git.text_merge import merge_text
from nanoclaw.git.work_files import NOT_A_FILE

log = structlog.get_logger("git")

Hold = Callable[[str], AbstractContextManager[None]]
"""Keeps the writer of a company's memory out meanwhile."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Merged:
    """A merge under way, as it is written down."""

    ref: str
    head: str
    commit: str
    theirs: str
    files: dict[str, list[TreeEntry | None]]  # before and after, in our history
    held: dict[str, TreeEntry | None] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def companies(self) -> set[str]:
        """The companies whose memory or context changed."""
        return {company for path in self.files if (company := company_of(path))}

    @property
    def branch(self) -> str:
        """The branch in which theirs is kept, if not all of it could be taken."""
        return f"conflict/{self.theirs[:12]}" if self.left else ""


class Merger:
    """The caller must be alone in the repository."""

    def __init__(self, repository: Repository, hold: Hold, leaves_rights: LeavesRights) -> None:
        self._repository = repository
        self._leaves_rights = leaves_rights
        self._hold = hold
        self._journal = repository.folder / "merge.json"

    @property
    def is_under_way(self) -> bool:
        return self._journal.exists()

    def under_way(self) -> Merged | None:
        try:
            return _merged(json.loads(self._journal.read_text("utf-8")))
        except FileNotFoundError:
            return None

    def begin(self, head: Head, theirs: str) -> Merged:
        plan = Planning(self._repository, head, theirs, self._leaves_rights).plan()
        commit = self._commit(head, plan)
        ours = self._repository.tree(head.commit)
        merged = Merged(
            ref=head.ref,
            head=head.commit or "",
            commit=commit,
            theirs=theirs,
            files={path: [ours.get(path), entry] for path, entry in plan.files.items()},
            held=plan.held,
            conflicts=plan.conflicts,
            left=plan.left,
            refused=plan.refused,
        )
        self._write(merged)
        return merged

    def finish(self, merged: Merged) -> None:
        """Finish the merge; may be repeated. The record stays until `forget`: what follows must be stored first."""
        repository = self._repository
        head = repository.head()
        if head.ref != merged.ref or head.commit not in (merged.head, merged.commit):
            self.forget()  # somebody else was faster: the files that are done count as edited, and are merged again
            raise GitFailed("git-moved")
        for path, (before, after) in merged.files.items():
            if path not in merged.held:
                with self._hold(str(company_of(path))) if is_memory(path) else nullcontext():
                    self._place(path, before, after)
        if merged.branch:
            repository.git.patiently("update-ref", f"refs/heads/{merged.branch}", merged.theirs)
        if head.commit != merged.commit:
            changes = {path: (before, after) for path, (before, after) in merged.files.items()}
            repository.advance(head, merged.commit, changes)

    def forget(self) -> None:
        self._journal.unlink(missing_ok=True)

    def _commit(self, head: Head, plan: MergePlan) -> str:
        """The merge commit; theirs itself if all of it is taken and we have nothing to add."""
        repository = self._repository
        made = repository.make_commit(head, plan.files, f"Merge {plan.theirs[:12]}", [plan.theirs])
        is_behind = head.commit is None or repository.is_ancestor(head.commit, plan.theirs)
        if is_behind and repository.same_tree(made, plan.theirs):
            return plan.theirs
        return made

    def _place(self, path: str, before: TreeEntry | None, after: TreeEntry | None) -> None:
        """Write it into the work tree, keeping what a person or the memory writer did there since."""
        files = self._repository.files
        there = files.read(path)
        was, wanted = self._content(before), self._content(after)
        if there == wanted:
            return
        if there != was:
            wanted = self._beside(path, was, there, wanted)
            if wanted is None or wanted == there:
                return  # what is there stays, and shows as an uncommitted change
            if is_skill(path) and not self._leaves_rights(path, there, wanted):
                return  # the same: what was examined is not what is there now
        try:
            if wanted is None:
                files.remove(path)
            else:
                files.write(path, wanted, is_program=after is not None and after.mode.endswith("755"))
        except OSError as error:
            if error.errno not in NOT_A_FILE:
                raise
            log.warning("merged file has no place", reason=error)

    def _beside(
        self, path: str, was: bytes | None, there: bytes | None, wanted: bytes | None
    ) -> bytes | None:
        if there is None or wanted is None:
            return wanted if kind_of(path) in (SyncedFileKind.LINES, SyncedFileKind.SECTIONS) else None
        match kind_of(path):
            case SyncedFileKind.LINES:
                return merge_lines({path: was or b""}, {path: there}, {path: wanted})[path]
            case SyncedFileKind.SECTIONS:
                texts = (each.decode("utf-8", "surrogateescape") for each in (was or b"", there, wanted))
                return merge_sections(*texts).encode("utf-8", "surrogateescape")
            case _:
                return merge_text(self._repository.git, self._repository.folder, was or b"", there, wanted)

    def _content(self, entry: TreeEntry | None) -> bytes | None:
        return self._repository.blob(entry.blob) if entry else None

    def _write(self, merged: Merged) -> None:
        write_whole(self._journal, json.dumps(asdict(merged)))


def write_whole(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _merged(kept: dict[str, Any]) -> Merged:
    def entry(given: dict[str, str] | None) -> TreeEntry | None:
        return TreeEntry(**given) if given else None

    return Merged(
        **{
            **kept,
            "files": {path: [entry(each) for each in both] for path, both in kept["files"].items()},
            "held": {path: entry(each) for path, each in kept["held"].items()},
            "conflicts": [Conflict(**each) for each in kept["conflicts"]],
        }
    )
