"""Carries out what the owner chose after a merge. All of it may be repeated: a host may die after any step."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

from nanoclaw.git.command import GitFailed
from nanoclaw.git.locks import alone
from nanoclaw.git.merge import Conflict
from nanoclaw.git.paths import PLAIN, company_of
from nanoclaw.git.repository import Repository, approved
from nanoclaw.git.staged import TreeEntry
from nanoclaw.git.text_merge import Favour, merge_text

HeldFiles = Mapping[str, Sequence[TreeEntry | None]]
"""By path: the version the work tree was made from, and the one that git has now."""


class Choices:
    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def difference(self, ours: bytes | str | None, theirs: bytes | str | None) -> str:
        """The difference as git shows it, which also says what is not text. Each is a blob, or its content."""
        ours, theirs = (
            self._repository.store(each) if isinstance(each, bytes) else each for each in (ours, theirs)
        )
        empty = self._repository.store(b"")
        words = (
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "-U1",
            ours or empty,
            theirs or empty,
        )
        shown = self._repository.git(*words).decode("utf-8", "replace")
        # The head names the two versions; it ends where the first change, or the note about binaries, begins.
        head = takewhile(lambda line: not line.startswith(("@@", "Binary")), lines := shown.split("\n"))
        return "\n".join(lines[len(list(head)) :])

    def with_theirs(self, conflict: Conflict) -> tuple[bytes | None, bytes | None]:
        """What the file says here now, and what it would say if theirs were taken."""
        there = self._repository.files.read(conflict.path)
        return there, self._chosen(conflict, there, both=False)

    def take(self, conflict: Conflict, *, both: bool, by: str | None) -> None:
        """Take theirs, or the lines of both, where both changed the same; later changes to the file stay.
        `by` is the name of the person who chose.
        """
        repository, path = self._repository, conflict.path
        with alone(repository.home):
            there = repository.files.read(path)
            if there is not None:  # so that uncommitted changes stay in the history
                self._commit([path], f"context: {_name(path)} as it was edited here")
            wanted = self._chosen(conflict, there, both=both)
            if wanted is None:
                repository.files.remove(path)
            elif wanted != there:
                repository.files.write(path, wanted)
            how = "both versions" if both else "as in the remote"
            self._commit([path], approved(f"context: {_name(path)}, {how} ({company_of(path)})", by))

    def put_in_effect(self, held: HeldFiles) -> list[str]:
        """Apply exactly what the owner has seen; later changes in git have their own question. Returns the
        files that a person edited in the same place meanwhile: those stay as they are.
        """
        edited = []
        repository = self._repository
        with alone(repository.home):
            committed = repository.tree(repository.ready().commit)
            for path, (before, after) in held.items():
                if committed.get(path) != after:
                    continue
                there = repository.files.read(path)
                was, wanted = (self._bytes(each.blob) if each else None for each in (before, after))
                if there not in (was, wanted):
                    wanted = self._beside(was, there, wanted)
                    if wanted is None:
                        edited.append(path)
                        continue
                if wanted is None:
                    repository.files.remove(path)
                elif wanted != there:
                    is_program = after is not None and after.mode != PLAIN
                    repository.files.write(path, wanted, is_program=is_program)
        return edited

    def keep_ours(self, held: HeldFiles) -> None:
        """Keep our version in git too, unless others have changed it again."""
        with alone(self._repository.home):
            committed = self._repository.tree(self._repository.ready().commit)
            paths = [path for path, (_, after) in held.items() if committed.get(path) == after]
            self._commit(paths, f"Keep our own {', '.join(paths)}")

    def _beside(self, was: bytes | None, there: bytes | None, wanted: bytes | None) -> bytes | None:
        if there is None or wanted is None:
            return None
        return merge_text(self._repository.git, self._repository.folder, was or b"", there, wanted)

    def _commit(self, paths: Sequence[str], message: str) -> None:
        self._repository.commit_alone(paths, message)

    def _chosen(self, conflict: Conflict, there: bytes | None, *, both: bool) -> bytes | None:
        if conflict.theirs is None:
            return None  # the owner chose to delete it
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
