"""Our own branches next to the person's: each has one commit without a parent, and what others put on top of
it.

Without a parent, so that fetching such a branch brings only what is in it, and deleting it removes all of it.
What somebody else committed there is theirs: it is never overwritten, and deleted only after it was read.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from nanoclaw.git.command import GitFailed, spoken
from nanoclaw.git.paths import PLAIN
from nanoclaw.git.repository import Head, Repository
from nanoclaw.git.staged import TreeEntry

_PATIENCE = 120.0  # seconds, for one exchange with the remote
_REMOTE = re.compile(r"\w[\w.-]*")
_MOST_READ = 64 << 20
_MOST_FETCHED = 256 << 20  # bytes that one fetch may bring: people who can push decide what is there
_KNOWN = "refs/nanoclaw/"
UNREAD = "git-branch-unread"
"""The error key if somebody's work on a branch keeps it from being removed."""
_PROGRAM = "100755"


class Branches:
    """Everything here blocks: use a thread. Raises GitUnready where there is no repository, and GitFailed."""

    def __init__(self, repository: Repository, remote: str | None) -> None:
        self._repository = repository
        self._git = repository.git
        self._remote = remote

    # Making

    def make(self, branch: str, files: Mapping[str, Path], message: str) -> str:
        """Make the commit of the branch, or return the existing one with the same content. The person's index
        is not touched.
        """
        repository = self._repository
        repository.git_folder()
        repository.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._commit(branch, files, message)
        old = repository.resolve(_local(branch))
        if old is None:
            # Zeros: only if nobody has made it meanwhile.
            self._git.patiently("update-ref", _local(branch), fresh, "0" * len(fresh))
            old = fresh
        elif not repository.same_tree(old, fresh):
            raise GitFailed("git-branch-taken", branch=branch)
        self.mark_known(branch, old)
        return old

    def _commit(self, branch: str, files: Mapping[str, Path], message: str) -> str:
        entries = {}
        for name, path in files.items():
            with path.open("rb") as file:
                blob = self._git("hash-object", "-w", "--no-filters", "--stdin", given=file.fileno())
            entries[name] = TreeEntry(_PROGRAM if name.endswith(".sh") else PLAIN, blob.decode().strip())
        return self._repository.make_commit(Head(_local(branch), None), entries, message)

    def push(self, branch: str, commit: str) -> None:
        """Push it, unless it is there or others have built on it. Raises GitFailed if the remote refuses."""
        there = self.there([branch]).get(branch)
        if there is not None and (there == commit or self._is_above(branch, there, commit)):
            return
        if there is not None:
            raise GitFailed("git-branch-taken", branch=branch)
        self._push(f"{commit}:{_local(branch)}")

    # What came back

    def there(self, branches: Sequence[str]) -> dict[str, str]:
        """The commits that the remote has for these branches."""
        out = self._talk("ls-remote", "--quiet", "--heads", self._named_remote(), *map(_local, branches))
        rows = (line.split("\t", 1) for line in out.decode("utf-8", "replace").splitlines() if "\t" in line)
        found = {ref: commit for commit, ref in rows}
        return {each: found[_local(each)] for each in branches if _local(each) in found}

    def fetch(self, branch: str, commit: str) -> bool:
        """Fetch its objects without moving any branch of ours. False if it has moved on meanwhile."""
        quietly = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        words = (*quietly, "--no-auto-maintenance", self._named_remote(), _local(branch))
        self._talk("fetch", *words, most_bytes=_MOST_FETCHED)
        return self._repository.resolve(commit) is not None

    def read(self, commit: str, path: str) -> bytes | None:
        """A plain file of a commit; None if it has none, or one that is too big."""
        entry = self._repository.tree(commit, path).get(path)
        if entry is None or entry.mode not in (PLAIN, _PROGRAM):
            return None
        return self._repository.blob(entry.blob) if self._repository.size(entry.blob) <= _MOST_READ else None

    def known(self, branch: str) -> str | None:
        """Its newest commit that is ours or was read."""
        return self._repository.resolve(_KNOWN + branch)

    def mark_known(self, branch: str, commit: str) -> None:
        self._git.patiently("update-ref", _KNOWN + branch, commit)

    # Removing

    def remove(self, branch: str, ours: str | None) -> None:
        """Remove it here and on the remote. Raises GitFailed if something has to stay: what was not read,
        what somebody works on, or an unreachable remote.
        """
        if ours is None and self.known(branch) is None:
            return  # none was made
        troubles = []
        for remove in (self._remove_here, self._remove_there):
            try:
                remove(branch, ours)
            except GitFailed as error:  # what can be removed is removed anyway
                troubles.append(error)
        if troubles:
            raise troubles[-1]
        self._git.patiently("update-ref", "-d", _KNOWN + branch)

    def _remove_there(self, branch: str, ours: str | None) -> None:
        if self._remote is None or (there := self.there([branch]).get(branch)) is None:
            return
        if not self.is_read(branch, there, ours):
            raise GitFailed(UNREAD, branch=branch)
        # Only what we have seen: somebody may push to it at this moment.
        self._push(f":{_local(branch)}", f"--force-with-lease={_local(branch)}:{there}")

    def _remove_here(self, branch: str, ours: str | None) -> None:
        here = self._repository.resolve(_local(branch))
        if here is None:
            return
        worked_on = f"branch {_local(branch)}\n" in self._git("worktree", "list", "--porcelain").decode(
            "utf-8", "replace"
        )
        if worked_on or not self.is_read(branch, here, ours):
            raise GitFailed(UNREAD, branch=branch)
        self._git.patiently("update-ref", "-d", _local(branch), here)

    def is_read(self, branch: str, commit: str, ours: str | None = None) -> bool:
        """Whether everything on it is ours or was read."""
        if commit == ours:
            return True
        known = self.known(branch)
        if known is None or self._repository.resolve(commit) is None:
            return False
        return commit == known or self._repository.is_ancestor(commit, known)

    # The remote

    def _is_above(self, branch: str, there: str, commit: str) -> bool:
        is_here = self._repository.resolve(there) is not None or self.fetch(branch, there)
        return is_here and self._repository.is_ancestor(commit, there)

    def _named_remote(self) -> str:
        name = self._remote or ""
        if not _REMOTE.fullmatch(name) or not self._git("config", f"remote.{name}.url", may_fail=(1,)):
            raise GitFailed("git-no-remote", remote=name)
        return name

    def _push(self, refspec: str, *options: str) -> None:
        quietly = ("--quiet", "--porcelain", "--no-verify", "--recurse-submodules=no")
        self._talk("push", *quietly, *options, self._named_remote(), refspec)

    def _talk(self, *words: str, most_bytes: int | None = None) -> bytes:
        code, out, said = self._git.run(*words, patience=_PATIENCE, networked=True, most_bytes=most_bytes)
        if code:
            raise GitFailed("git-remote", remote=self._remote, said=spoken(said or out))
        return out


def _local(branch: str) -> str:
    return f"refs/heads/{branch}"
