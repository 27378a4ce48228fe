"""Removes words from the whole local history: every version of some files is rewritten, and the old ones are
removed.

The work tree stays as it is, and so do branches, tags, stashes and the index: all of them, without the words.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import structlog

from nanoclaw.git import fast_export
from nanoclaw.git.locks import alone
from nanoclaw.git.purged import PurgedCommits
from nanoclaw.git.repository import Repository

log = structlog.get_logger("git")

_PATIENCE = 3600.0  # seconds, for a long history
_BATCH = 64  # blobs in memory at once
_OURS = "refs/nanoclaw/purge/"
_EXPORT = (
    "fast-export", "--exclude=refs/stash", "--all", "--no-data", "--reencode=no", "--signed-tags=strip",
    "--tag-of-filtered-object=rewrite", "--fake-missing-tagger", "--use-done-feature", "--show-original-ids",
)  # fmt: skip
_IMPORT = ("fast-import", "--force", "--quiet", "--done", "--date-format=raw-permissive")


class Filter(Protocol):
    def learn(self, path: str, content: bytes) -> None:
        """Sees every version first."""

    def __call__(self, path: str, content: bytes) -> bytes:
        """What should be there instead."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rewritten:
    blobs: int = 0  # versions of files that were changed
    is_complete: bool = True  # False: an old version is still there (another work tree, a kept pack)
    commands: tuple[str, ...] = ()  # for a person, who has to do the same to the remote


def rewrite(repository: Repository, under: str, rule: Filter) -> Rewritten:
    """Rewrite every version of the files below `under`. If killed anywhere, the same call does the rest.
    Blocks, for minutes if the history is long. Raises GitUnready and GitFailed.
    """
    with alone(repository.home):
        place = repository.git_folder()
        repository.staged.settle()  # it names versions that are about to be removed
        return _Rewriting(repository, place, under, rule).run()


class _Rewriting:
    def __init__(self, repository: Repository, place: Path, under: str, rule: Filter) -> None:
        self._git = repository.git
        self._store = repository.store
        self._purged = PurgedCommits(repository)
        self._place = place
        self._under = under.encode()
        self._rule = rule

    def run(self) -> Rewritten:
        stashes = self._hold()
        before = self._refs()
        stream = self._git(*_EXPORT, patience=_PATIENCE)
        staged = {index: self._staged(index) for index in self._indexes()}
        versions = {blob: path for _, blob, path in fast_export.files(stream) if self._is_meant(path)}
        versions |= {blob: path for entries in staged.values() for _, blob, _, path in entries}
        changed = self._changed(versions)
        if changed:
            old = self._old_commits(stream, changed)
            heads = [
                commit for ref, commit in before.items() if ref.startswith("refs/remotes/") and commit in old
            ]
            # First: a merge right after a kill would bring everything back.
            self._purged.add([commit for commit, is_first in old.items() if is_first], heads)
            self._git(
                *_IMPORT,
                given=b"".join(fast_export.renamed(stream, changed, self._is_meant)),
                patience=_PATIENCE,
            )
        for index, entries in staged.items():
            self._restage(index, entries, changed)
        commands = self._commands(before)
        self._forget(stashes)
        return Rewritten(
            blobs=len(changed), is_complete=not any(map(self._exists, changed)), commands=commands
        )

    # What no branch or tag holds

    def _hold(self) -> list[str]:
        """Name what has no name, so that it is rewritten with the rest: stashes, a detached HEAD."""
        left = [ref for ref in self._refs() if ref.startswith(f"{_OURS}stash/")]
        stashes = self._git("stash", "list", "--format=%H").decode().split()
        if len(left) > len(stashes):  # an earlier call was killed while it put them back
            self._put_back(left)
            stashes = self._git("stash", "list", "--format=%H").decode().split()
        refs = [f"{_OURS}stash/{number:04}" for number in range(len(stashes))]
        for ref, commit in zip(refs, stashes, strict=True):
            self._git("update-ref", ref, commit)
        if not self._git("symbolic-ref", "--quiet", "HEAD", may_fail=(1,)):
            self._git("update-ref", f"{_OURS}head", "HEAD")
        return refs

    def _put_back(self, stashes: list[str]) -> None:
        for ref in reversed(stashes):
            said = self._git("log", "-1", "--format=%s", ref).decode("utf-8", "replace").strip()
            self._git("stash", "store", "--quiet", "-m", said, ref)

    def _forget(self, stashes: list[str]) -> None:
        """Remove the old history: whatever still names it, then its objects."""
        refs = self._refs()
        if head := refs.get(f"{_OURS}head"):
            self._git("update-ref", "--no-deref", "HEAD", head)
        for name in ("ORIG_HEAD", "FETCH_HEAD"):
            (self._place / name).unlink(missing_ok=True)
        # The list of stashes is a reflog.
        if "refs/stash" in refs:
            self._git("update-ref", "-d", "refs/stash")
        self._git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all", patience=_PATIENCE)
        self._put_back(stashes)
        for ref in refs:
            if ref.startswith(_OURS):
                self._git("update-ref", "-d", ref)
        self._git("gc", "--quiet", "--prune=now", patience=_PATIENCE)

    def _refs(self) -> dict[str, str]:
        rows = self._git("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
        return dict(row.rsplit(" ", 1) for row in rows)

    # Versions

    def _is_meant(self, path: bytes) -> bool:
        return path.startswith(self._under)

    def _changed(self, versions: Mapping[str, bytes]) -> dict[str, str]:
        """The old and new ids of each version that the rule changes."""
        for path, _, content in self._contents(versions):
            self._rule.learn(path, content)
        found = {}
        for path, blob, content in self._contents(versions):
            made = self._rule(path, content)
            if made != content:
                found[blob] = self._store(made)
        return found

    def _old_commits(self, stream: bytes, changed: Mapping[str, str]) -> dict[str, bool]:
        """The commits that contain an old version, and whether they are the first to do so."""
        found: dict[str, bool] = {}
        marks: dict[bytes, str] = {}
        for commit in fast_export.commits(stream):
            marks[commit.mark] = commit.id
            holds = any(blob in changed and self._is_meant(path) for blob, path in commit.files)
            is_later = any(marks.get(parent) in found for parent in commit.parents)
            if holds or is_later:
                found[commit.id] = not is_later
        return found

    def _contents(self, versions: Mapping[str, bytes]) -> Iterator[tuple[str, str, bytes]]:
        blobs = list(versions)
        for start in range(0, len(blobs), _BATCH):
            batch = blobs[start : start + _BATCH]
            out = self._git(
                "cat-file", "--batch", given="\n".join(batch).encode() + b"\n", patience=_PATIENCE
            )
            place = 0
            for blob in batch:
                end = out.index(b"\n", place)
                about = out[place:end].split()
                if about[-1] == b"missing":
                    place = end + 1
                    continue
                size = int(about[2])
                yield versions[blob].decode("utf-8", "replace"), blob, out[end + 1 : end + 1 + size]
                place = end + 1 + size + 1

    # What is staged

    def _indexes(self) -> list[Path]:
        return [
            each for each in (self._place / "index", *self._place.glob("worktrees/*/index")) if each.exists()
        ]

    def _staged(self, index: Path) -> list[tuple[str, str, str, bytes]]:
        found = []
        for row in self._git("ls-files", "--stage", "-z", index=index).split(b"\0"):
            about, _, path = row.partition(b"\t")
            if path and self._is_meant(path):
                mode, blob, stage = about.decode().split(" ")
                found.append((mode, blob, stage, path))
        return found

    def _restage(
        self, index: Path, entries: list[tuple[str, str, str, bytes]], changed: Mapping[str, str]
    ) -> None:
        rows = [
            f"{mode} {changed[blob]} {stage}\t".encode() + path
            for mode, blob, stage, path in entries
            if blob in changed
        ]
        if rows:
            self._git.write_index(b"\0".join(rows) + b"\0", self._place, index)

    # The rest

    def _exists(self, blob: str) -> bool:
        return self._git.run("cat-file", "-e", blob)[0] == 0

    def _commands(self, before: Mapping[str, str]) -> tuple[str, ...]:
        """Commands that overwrite what the remote has: only what it is known to have and what is different now."""
        refs = self._refs()
        made = []
        for remote in self._git("remote").decode().split():
            for ref, commit in refs.items():
                name = ref.removeprefix(f"refs/remotes/{remote}/")
                if name == ref or name == "HEAD" or before.get(ref) == commit:
                    continue
                local = f"refs/heads/{name}" if f"refs/heads/{name}" in refs else ref
                made.append(["push", "--force", remote, f"{local}:refs/heads/{name}"])
            made += [
                ["push", "--force", remote, ref]
                for ref, commit in refs.items()
                if ref.startswith("refs/tags/") and before.get(ref) != commit
            ]
        return tuple(shlex.join(["git", "-C", str(self._git.home), *words]) for words in made)
