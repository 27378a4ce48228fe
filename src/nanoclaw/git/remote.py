"""The git remote: fetches what others committed, and pushes what we committed. Never with force."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from nanoclaw.git.command import GitFailed, spoken
from nanoclaw.git.purged import PurgedCommits
from nanoclaw.git.repository import Head, Repository

_PATIENCE = 120.0  # seconds, for one exchange
_MOST_BYTES = 1 << 30  # for one fetch
_NAME = re.compile(r"\w[\w.-]*")
_BRANCHES = "refs/heads/"
# Our own branches there, which are nobody's work tree.
_ASIDE = ("transfer/", "conflict/")
# Somebody else pushed since we fetched.
_BEHIND = re.compile(
    rb"\[rejected\]|\(fetch first\)|\(non-fast-forward\)|incorrect old value|failed to update ref|cannot lock ref"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetched:
    """`theirs`: the commit of our branch there, None if the remote is empty. `lost`: how many commits it no
    longer has, though all of them are here.
    """

    theirs: str | None
    heads: Mapping[str, str]
    lost: int = 0


class Remote:
    def __init__(self, repository: Repository, name: str) -> None:
        self._repository = repository
        self.name = name
        self._purged = PurgedCommits(repository)
        self._named_at = 0  # when the repository settings that name it last changed

    def fetch(self, head: Head) -> Fetched:
        """Fetch whatever is new in our branch there. Raises GitFailed."""
        heads = self._heads()
        theirs = heads.get(head.branch)
        if theirs is None:
            others = sorted(each for each in heads if not each.startswith(_ASIDE))
            if others:
                raise GitFailed(
                    "git-no-branch", remote=self.name, branch=head.branch, others=", ".join(others[:5])
                )
            return Fetched(theirs=None, heads=heads)
        seen = self._repository.ref(self._seen(head.branch))
        if theirs == seen:
            return Fetched(theirs=theirs, heads=heads)
        self._purged.expect_none_at(self.name, theirs)
        known = self._bring(head.branch)
        self._purged.expect_none_in(self.name, known)
        fetched = self._repository.resolve(known)
        if fetched is None:
            raise GitFailed("git-remote", remote=self.name, said="")
        lost = self._lost(head, seen, fetched) if seen else 0
        self._remember(head.branch, fetched)
        return Fetched(theirs=fetched, heads=heads, lost=lost)

    def unseen(self, head: Head, theirs: str | None) -> list[str]:
        """The files in which our commit differs from theirs."""
        if theirs is None:
            return sorted(self._repository.tree(head.commit))
        words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", theirs, str(head.commit))
        return [each.decode("utf-8", "replace") for each in self._repository.git(*words).split(b"\0") if each]

    def push(self, head: Head) -> bool:
        """False if somebody else was faster: fetch again. Raises GitFailed if it is refused."""
        code, out, said = self._repository.git.run(
            *("push", "--quiet", "--porcelain", "--no-verify", "--recurse-submodules=no", self.name),
            f"{head.commit}:{head.ref}",
            patience=_PATIENCE,
            networked=True,
        )
        if code == 0:
            self._remember(head.branch, str(head.commit))
            return True
        if _BEHIND.search(out + said) and b"[remote rejected] (pre-receive" not in out + said:
            return False
        raise GitFailed("git-remote", remote=self.name, said=spoken(said))

    def _heads(self) -> dict[str, str]:
        """Its branches. If nothing is new, this is all that is asked of it: a fetch starts more programs."""
        self._expect_named()
        code, out, said = self._repository.git.run(
            "ls-remote", "--quiet", "--heads", self.name, patience=_PATIENCE, networked=True
        )
        if code:
            raise GitFailed("git-remote", remote=self.name, said=spoken(said))
        rows = (line.split("\t", 1) for line in out.decode("utf-8", "replace").splitlines() if "\t" in line)
        return {ref.removeprefix(_BRANCHES): commit for commit, ref in rows}

    def _expect_named(self) -> None:
        """Git would take an unknown name for a folder."""
        changed = (self._repository.common_folder() / "config").stat().st_mtime_ns
        if changed == self._named_at:
            return
        git = self._repository.git
        if not _NAME.fullmatch(self.name) or not git("config", f"remote.{self.name}.url", may_fail=(1,)):
            raise GitFailed("git-no-remote", remote=self.name)
        self._named_at = changed

    def _bring(self, branch: str) -> str:
        known = f"refs/remotes/{self.name}/{branch}"
        code, _, said = self._repository.git.run(
            *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"),
            *("--no-auto-maintenance", self.name, f"+{_BRANCHES}{branch}:{known}"),
            patience=_PATIENCE,
            networked=True,
            most_bytes=_MOST_BYTES,
        )
        if code:
            raise GitFailed("git-remote", remote=self.name, said=spoken(said))
        return known

    def _lost(self, head: Head, seen: str, fetched: str) -> int:
        """A rewritten history is ignored unless a person merged it."""
        repository = self._repository
        if repository.is_ancestor(seen, fetched):
            return 0
        if head.commit and repository.is_ancestor(fetched, head.commit):
            return int(repository.git("rev-list", "--count", f"{fetched}..{seen}"))
        gone = repository.git("rev-list", "--count", f"{fetched}..{seen}").decode().strip()
        raise GitFailed(
            "git-rewritten", remote=self.name, branch=head.branch, gone=gone, home=str(repository.home)
        )

    def _seen(self, branch: str) -> str:
        """The ref of what it had when we last looked. A person's own fetch moves `refs/remotes`, but not this."""
        return f"refs/nanoclaw/{self.name}/{branch}"

    def _remember(self, branch: str, commit: str) -> None:
        self._repository.git.patiently("update-ref", self._seen(branch), commit)
