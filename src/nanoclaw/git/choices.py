"""Carries out what the owner chose after a merge. All of it may be repeated: a host may die after any step."""

from collections.abc import Mapping, Sequence

from nanoclaw.git.command import GitFailed
from nanoclaw.git.locks import alone
from nanoclaw.git.merge import Conflict
from nanoclaw.git.paths import PLAIN, company_of
from nanoclaw.git.repository import Repository
from nanoclaw.git.staged import Entry
from nanoclaw.git.text_merge import Favour, merge_text

Held = Mapping[str, Sequence[Entry | None]]
"""By path: what the work tree has, and what git has."""


class Choices:
    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def text(self, blob: str | None) -> str:
        return self._bytes(blob).decode("utf-8", "replace")

    def beside(self, held: Mapping[str, Entry | None]) -> Held:
        """Each file with what the work tree has in its place. That is stored, so that it can be shown and compared."""
        found = {}
        for path, entry in held.items():
            there = self._repository.files.read(path)
            mode = entry.mode if entry else PLAIN
            found[path] = [None if there is None else Entry(mode, self._repository.store(there)), entry]
        return found

    def take(self, conflict: Conflict, *, both: bool) -> bool:
        """Theirs, or the lines of both, where both changed the same; and whatever came into the file since."""
        repository, path = self._repository, conflict.path
        with alone(repository.home):
            there = repository.files.read(path)
            if there is not None:  # what nobody committed yet stays in the history
                self._commit([path], f"context: {_name(path)} as it was edited here")
            wanted = self._chosen(conflict, there, both=both)
            if wanted is None:
                repository.files.remove(path)
            elif wanted != there:
                repository.files.write(path, wanted)
            how = "both versions" if both else "as in the remote"
            return self._commit([path], f"context: {_name(path)}, {how} ({company_of(path)})") is not None

    def put_in_effect(self, held: Held) -> None:
        """Exactly what the owner has seen; what changed since in git has a question of its own."""
        repository = self._repository
        with alone(repository.home):
            committed = repository.tree(repository.ready().commit)
            for path, (before, after) in held.items():
                if committed.get(path) != after:
                    continue
                there = repository.files.read(path)
                if there is not None and before is not None and there != self._bytes(before.blob):
                    continue  # edited by hand meanwhile: that stands, and shows as not committed
                if after is None:
                    repository.files.remove(path)
                else:
                    repository.files.write(path, self._bytes(after.blob), is_program=after.mode != PLAIN)

    def keep_ours(self, held: Held) -> bool:
        with alone(self._repository.home):
            return self._commit(list(held), f"Keep our own {', '.join(held)}") is not None

    def _commit(self, paths: Sequence[str], message: str) -> str | None:
        return self._repository.commit_alone(paths, message)

    def _chosen(self, conflict: Conflict, there: bytes | None, *, both: bool) -> bytes | None:
        if conflict.theirs is None:
            return None  # the owner chose that it is deleted
        theirs = self._bytes(conflict.theirs)
        if conflict.ours is None or there is None:
            return theirs
        favour = Favour.BOTH if both else Favour.THEIRS
        ours = self._bytes(conflict.ours)
        wanted = self._merge(self._bytes(conflict.base), ours, theirs, favour)
        return self._merge(ours, there, wanted, favour)

    def _merge(self, base: bytes, ours: bytes, theirs: bytes, favour: Favour) -> bytes:
        merged = merge_text(self._repository.git, self._repository.folder, base, ours, theirs, favour)
        if merged is None:
            raise GitFailed("git-failed", what="merge-file", said="not a text")
        return merged

    def _bytes(self, blob: str | None) -> bytes:
        return self._repository.blob(blob) if blob else b""


def _name(path: str) -> str:
    return path.partition("/context/")[2].removesuffix(".md") or path
