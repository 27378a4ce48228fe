"""Commits that were purged from the history here. A remote that still has them would bring them back with a merge."""

import json
import os
from collections.abc import Iterable

from nanoclaw.git.command import GitFailed
from nanoclaw.git.repository import Repository

_FILE = "purged.json"
_MOST = 1000
_PATIENCE = 120.0


class PurgedCommits:
    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._file = repository.folder / _FILE

    def add(self, commits: Iterable[str], heads: Iterable[str] = ()) -> None:
        """`commits`: every history that contains one of these is old. `heads`: where remotes were; those need
        no closer look.
        """
        known = self._read()
        fresh = {
            "commits": list(dict.fromkeys([*known["commits"], *commits]))[-_MOST:],
            "heads": list(dict.fromkeys([*known["heads"], *heads]))[-_MOST:],
        }
        if fresh == known:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        made = self._file.with_suffix(".new")
        with made.open("w", encoding="ascii") as file:
            json.dump(fresh, file)
            file.flush()
            os.fsync(file.fileno())
        made.replace(self._file)

    def expect_none_at(self, remote: str, commit: str) -> None:
        """Check before a fetch, so that the words do not come back at all. Raises GitFailed."""
        if commit in self._read()["heads"]:
            raise GitFailed("git-purged", remote=remote)

    def expect_none_in(self, remote: str, ref: str) -> None:
        """Check after a fetch: somebody may have continued the old history. What came is removed again.
        Raises GitFailed.
        """
        git = self._repository.git
        for commit in self._read()["commits"]:
            if git.run("merge-base", "--is-ancestor", commit, ref)[0] == 0:
                self.add([], [str(self._repository.resolve(ref))])
                git("update-ref", "-d", ref)
                git("gc", "--quiet", "--prune=now", patience=_PATIENCE * 10)
                raise GitFailed("git-purged", remote=remote)

    def _read(self) -> dict[str, list[str]]:
        try:
            found = json.loads(self._file.read_bytes())
            return {"commits": list(found["commits"]), "heads": list(found["heads"])}
        except (OSError, ValueError, KeyError, TypeError):
            return {"commits": [], "heads": []}
