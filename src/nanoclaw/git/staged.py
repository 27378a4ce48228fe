"""Applies what our commit changed to the person's index too; otherwise their next commit would revert it.

Only to entries that are as they were before: what a person staged stays. It is written down first, because
the host may die in between.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nanoclaw.git.command import Git, GitFailed
from nanoclaw.git.paths import is_memory

_FILE = "staged.json"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file in a tree or in the index."""

    mode: str
    blob: str


Changes = Mapping[str, tuple[TreeEntry | None, TreeEntry | None]]
"""By path: before and after; None if there is no file."""


class Staged:
    def __init__(self, git: Git, folder: Path, git_folder: Path) -> None:
        self._git = git
        self._file = folder / _FILE
        self._index = git_folder / "index"

    def note(self, changes: Changes) -> None:
        """Write the changes down, before the commit becomes visible."""
        known = self._read()
        for path, (before, after) in changes.items():
            first = known.get(path, (before,))[0]
            known[path] = (first, after)
        self._write(known)

    @property
    def is_settled(self) -> bool:
        return not self._file.exists()

    def settle(self) -> None:
        """Apply them, repeatedly until it works: somebody else may hold the index."""
        known = self._read()
        if not known:
            return
        if self._index.exists():
            like = next((each.blob for both in known.values() for each in both if each), "")
            there = self._entries(list(known))
            lines = [
                index_info(path, after, like)
                for path, (before, after) in known.items()
                if there.get(path) == before or is_memory(path)
            ]
            with suppress(GitFailed):
                self._git.write_index(b"".join(lines), self._index.parent)
                self._file.unlink(missing_ok=True)
        else:
            self._file.unlink(missing_ok=True)

    def _entries(self, paths: list[str]) -> dict[str, TreeEntry]:
        found = {}
        for line in self._git("ls-files", "-s", "-z", "--", *paths).split(b"\0"):
            about, _, path = line.decode("utf-8", "surrogateescape").partition("\t")
            if path:
                mode, blob, _stage = about.split(" ")
                found[path] = TreeEntry(mode, blob)
        return found

    def _read(self) -> dict[str, tuple[TreeEntry | None, TreeEntry | None]]:
        try:
            kept = json.loads(self._file.read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return {
            path: (before and TreeEntry(*before), after and TreeEntry(*after))
            for path, (before, after) in kept.items()
        }

    def _write(self, known: Changes) -> None:
        listed = {path: [each and [each.mode, each.blob] for each in both] for path, both in known.items()}
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(listed), "utf-8")
        fresh.replace(self._file)


def index_info(path: str, entry: TreeEntry | None, like: str) -> bytes:
    """A line for `update-index -z --index-info`; `like` is any id of the repository."""
    mode, blob = (entry.mode, entry.blob) if entry else ("0", "0" * len(like))
    return f"{mode} {blob}\t{path}\0".encode("utf-8", "surrogateescape")
