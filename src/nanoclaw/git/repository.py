"""The workspace's repository: what is committed, and commits of exactly the named files.

A person works in the same repository. Their branch, their index and their uncommitted changes are theirs: our
commits use a separate index, and wait while they are in the middle of something.
"""

import os
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nanoclaw.git.command import NAME, Git, GitFailed, GitUnready, is_installed
from nanoclaw.git.locks import alone, clear_left_behind
from nanoclaw.git.paths import PLAIN
from nanoclaw.git.staged import Changes, Staged, TreeEntry, index_info
from nanoclaw.git.work_files import WorkFiles

_BRANCHES = "refs/heads/"
_ID = re.compile(r"[0-9a-f]{4,64}")
# A person's own merge, rebase ... that is not finished.
_UNFINISHED = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}
_LONG = 600.0  # seconds
# As a trailer, and as earlier versions of the host wrote it.
_APPROVED = re.compile(r"^(?:Approved-by: (.+)|Approved by (.+)\.)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Head:
    """The branch that the workspace is on; without a commit in a new repository."""

    ref: str
    commit: str | None

    @property
    def branch(self) -> str:
        return self.ref.removeprefix(_BRANCHES)


@dataclass(frozen=True, slots=True)
class Commit:
    id: str
    at: datetime
    author: str  # or the person who approved it, if the host committed for them
    subject: str


class Repository:
    """Everything here blocks: use a thread. Raises GitUnready while nothing can be committed, and GitFailed."""

    def __init__(self, home: Path, stop: threading.Event | None = None) -> None:
        self.home = home
        self.git = Git(home, stop)
        self.files = WorkFiles(home)
        self.folder = home / "data" / "git"
        # The last commit's files below some folders: most looks find nothing new.
        self._committed: tuple[tuple[str | None, tuple[str, ...]], dict[str, TreeEntry]] | None = None

    # Looking

    def head(self) -> Head:
        """Raises GitUnready with the reason if commits have to wait."""
        place = self.git_folder()
        for name, what in _UNFINISHED.items():
            if (place / name).exists():
                raise GitUnready("git-busy", what=what)
        if plain := _plain_head(place):
            return plain
        ref = self.git("symbolic-ref", "--quiet", "HEAD", may_fail=(1,)).decode().strip()
        if not ref.startswith(_BRANCHES):
            raise GitUnready("git-detached")
        return Head(ref, self.resolve(ref))

    def git_folder(self) -> Path:
        if not is_installed():
            raise GitUnready("git-missing")
        place = self.home / ".git"
        if place.is_file():  # a linked work tree
            place = self.home / place.read_text("utf-8").removeprefix("gitdir:").strip()
        if not place.is_dir():
            raise GitUnready("git-no-repository")
        return place

    def common_folder(self) -> Path:
        """Where the branches and settings are: a linked work tree shares those of its repository."""
        place = self.git_folder()
        try:
            return place / (place / "commondir").read_text("utf-8").strip()
        except FileNotFoundError:
            return place

    def ref(self, name: str) -> str | None:
        """The commit of a full ref name; git is asked only if its files are not the usual ones."""
        with suppress(OSError, ValueError):
            if _ID.fullmatch(commit := (self.common_folder() / name).read_text("ascii").strip()):
                return commit
        return self.resolve(name)

    def resolve(self, name: str) -> str | None:
        found = self.git(
            "rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}", may_fail=(1, 128)
        )
        return found.decode().strip() or None

    def tree(self, commit: str | None, *under: str) -> dict[str, TreeEntry]:
        """The files of a commit, or those below some folders."""
        if commit is None:
            return {}
        found = {}
        paths = ("--", *under) if under else ()
        for line in self.git("ls-tree", "-r", "-z", "--full-tree", commit, *paths).split(b"\0"):
            about, _, path = line.decode("utf-8", "surrogateescape").partition("\t")
            if path:
                mode, _kind, blob = about.split(" ")
                found[path] = TreeEntry(mode, blob)
        return found

    def blob(self, blob: str) -> bytes:
        return self.git("cat-file", "blob", blob)

    def size(self, blob: str) -> int:
        return int(self.git("cat-file", "-s", blob))

    def sizes(self, blobs: Sequence[str]) -> dict[str, int]:
        if not blobs:
            return {}
        given = "\n".join(blobs).encode() + b"\n"
        rows = (
            row.split() for row in self.git("cat-file", "--batch-check", given=given).decode().splitlines()
        )
        return {row[0]: int(row[2]) for row in rows if row[1] == "blob"}

    def is_ancestor(self, old: str, new: str) -> bool:
        return self.git.run("merge-base", "--is-ancestor", old, new)[0] == 0

    def same_tree(self, one: str, other: str) -> bool:
        trees = self.git("rev-parse", f"{one}^{{tree}}", f"{other}^{{tree}}").split()
        return trees[0] == trees[1]

    def log(self, path: str, limit: int = 50) -> list[Commit]:
        """The commits that changed a file, newest first; none without a repository."""
        with suppress(GitUnready, GitFailed):
            self.git_folder()
            fields = "%H%x1f%at%x1f%an%x1f%s%x1f%b"
            out = self.git(
                "log", "-z", f"--max-count={limit}", f"--format={fields}", "--no-show-signature", "--", path
            )
            rows = (row.split("\x1f") for row in out.decode("utf-8", "replace").split("\0") if row)
            return [
                Commit(
                    id=row[0],
                    at=datetime.fromtimestamp(int(row[1]), UTC),
                    author=_approver(row[2], row[4]) or row[2],
                    subject=row[3],
                )
                for row in rows
            ]
        return []

    def show(self, commit: str, path: str) -> bytes | None:
        """A file as a commit has it; None if it has none, or there is no such commit."""
        if not _ID.fullmatch(commit):
            return None
        with suppress(GitUnready, GitFailed):
            self.git_folder()
            entry = self.tree(commit, path).get(path)
            return self.blob(entry.blob) if entry else None
        return None

    def changed(self, *under: str) -> list[str]:
        """Files below some folders that differ from the last commit: new, edited or deleted."""
        head = self.head()
        if self._committed is None or self._committed[0] != (head.commit, under):
            self._committed = (head.commit, under), self.tree(head.commit, *under)
        committed = self._committed[1]
        like = head.commit or "0" * 40
        there = {path for folder in under for path in self.files.below(folder)}
        return sorted(
            path
            for path in there | committed.keys()
            if self.files.blob_id(path, like) != (committed[path].blob if path in committed else None)
        )

    # Committing

    def make(self, paths: Sequence[str], message: str) -> None:
        """Make a repository if there is none, with these files and folders."""
        self.git("init", "--quiet", "--initial-branch=main")
        there = [path for path in paths if (self.home / path).exists()]
        if there:
            self.git("add", "--", *there)
            self.git("commit", "--quiet", "--no-verify", "--message", message)

    def commit(self, paths: Iterable[str], message: str) -> str | None:
        """Commit exactly these files as they are in the work tree, including deletions. Returns the commit;
        None if nothing differs. Other changes of a person, staged or not, are left alone.
        """
        with alone(self.home):
            return self.commit_alone(paths, message)

    def commit_alone(self, paths: Iterable[str], message: str) -> str | None:
        """The same; the caller must be alone in the repository."""
        head = self.ready()
        before = self.tree(head.commit, *paths) if (paths := sorted(set(paths))) else {}
        changes = {}
        for path in paths:
            entry = self._stored(path, before.get(path))
            if entry != before.get(path):
                changes[path] = (before.get(path), entry)
        return self.commit_changes(head, changes, message)

    def ready(self) -> Head:
        """The branch, after repairing what earlier commits left undone. The caller must be alone in the
        repository.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        head = self.head()
        clear_left_behind(self.home, self.git_folder(), head.ref)
        self.staged.settle()
        return head

    @property
    def staged(self) -> Staged:
        return Staged(self.git, self.folder, self.git_folder())

    def commit_changes(
        self, head: Head, changes: Changes, message: str, *, parents: Sequence[str] = ()
    ) -> str | None:
        """Commit on top of the branch; with further `parents` it is a merge. The caller must be alone in the
        repository.
        """
        if not changes and not parents:
            return None
        made = self.make_commit(head, {path: after for path, (_, after) in changes.items()}, message, parents)
        self.advance(head, made, changes)
        return made

    def make_commit(
        self, head: Head, files: Mapping[str, TreeEntry | None], message: str, parents: Sequence[str] = ()
    ) -> str:
        """Make the commit only: nothing refers to it yet."""
        index = self.folder / f"index.{os.getpid()}.{threading.get_ident()}"
        like = head.commit or "0" * 40
        try:
            self.git("read-tree", head.commit or "--empty", index=index)
            lines = b"".join(index_info(path, entry, like) for path, entry in files.items())
            self.git("update-index", "-z", "--index-info", given=lines, index=index)
            tree = self.git("write-tree", index=index).decode().strip()
        finally:
            for left in (index, index.with_name(f"{index.name}.lock")):
                left.unlink(missing_ok=True)
        above = [word for each in (head.commit, *parents) if each for word in ("-p", each)]
        return self.git("commit-tree", *above, "-F", "-", tree, given=message.encode()).decode().strip()

    def advance(self, head: Head, commit: str, changes: Changes) -> None:
        """Move the branch and the person's index to it. Raises GitFailed if the branch has moved meanwhile."""
        self.staged.note(changes)
        old = head.commit or "0" * len(commit)
        self.git.patiently("update-ref", "-m", "nanoclaw", head.ref, commit, old)
        self.staged.settle()

    def tidy(self) -> None:
        """Pack what thousands of commits left behind; does nothing while there is little."""
        words = ("-c", "gc.auto=6700", "-c", "gc.autoDetach=false")
        with alone(self.home):
            self.git(*words, "gc", "--auto", "--quiet", patience=_LONG)

    def store(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--no-filters", "--stdin", given=content).decode().strip()

    def _stored(self, path: str, before: TreeEntry | None) -> TreeEntry | None:
        with self.files.opened(path) as handle:
            if handle is None:
                return None
            if before and self.files.blob_id(path, before.blob) == before.blob:
                return before
            blob = self.git("hash-object", "-w", "--no-filters", "--stdin", given=handle).decode().strip()
        return TreeEntry(before.mode if before else PLAIN, blob)


def _plain_head(place: Path) -> Head | None:
    """The head as git's own files give it, if they are the usual ones: a commit asks five times, and git
    would start two programs each time. None: ask git.
    """
    try:
        ref = (place / "HEAD").read_text("ascii").removeprefix("ref:").strip()
        commit = (place / ref).read_text("ascii").strip() if ref.startswith(_BRANCHES) else ""
    except (OSError, ValueError):
        return None
    return Head(ref, commit) if _ID.fullmatch(commit) else None


def approved(message: str, name: str | None) -> str:
    """The message of a commit that the host makes for the person who decided it."""
    return f"{message}\n\nApproved-by: {' '.join(name.split())}\n" if name else message


def _approver(author: str, body: str) -> str | None:
    found = _APPROVED.search(body) if author == NAME else None
    return (found[1] or found[2]) if found else None
