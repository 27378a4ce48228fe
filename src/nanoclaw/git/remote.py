"""The git remote: what others committed comes from it, and what we committed goes there."""

import re

from nanoclaw.git.command import GitFailed, spoken
from nanoclaw.git.purged import PurgedCommits
from nanoclaw.git.repository import Head, Repository

_PATIENCE = 120.0  # seconds, for one talk with it
_NAME = re.compile(r"\w[\w.-]*")
_NO_BRANCH = b"couldn't find remote ref"
# Somebody else pushed since we fetched.
_BEHIND = re.compile(
    rb"\[rejected\]|\(fetch first\)|\(non-fast-forward\)|incorrect old value|failed to update ref|cannot lock ref"
)


class Remote:
    def __init__(self, repository: Repository, name: str) -> None:
        self._repository = repository
        self._name = name
        self._purged = PurgedCommits(repository)

    def fetch(self, branch: str) -> str | None:
        """The commit that the branch has there; None if it has none. Raises GitFailed."""
        git = self._repository.git
        if not _NAME.fullmatch(self._name) or not git("config", f"remote.{self._name}.url", may_fail=(1,)):
            raise GitFailed("git-no-remote", remote=self._name)
        known = f"refs/remotes/{self._name}/{branch}"
        self._purged.expect_none_at(self._name, branch)
        code, _, said = git.run(
            *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"),
            *("--no-auto-maintenance", self._name, f"+refs/heads/{branch}:{known}"),
            patience=_PATIENCE,
            networked=True,
        )
        if code and _NO_BRANCH in said:
            return None
        if code:
            raise GitFailed("git-remote", remote=self._name, said=spoken(said))
        self._purged.expect_none_in(self._name, known)
        return self._repository.resolve(known)

    def has(self, head: Head) -> bool:
        """Whether it had our commit when we last looked."""
        return self._repository.resolve(f"refs/remotes/{self._name}/{head.branch}") == head.commit

    def push(self, head: Head) -> bool:
        """False if somebody else was faster: fetch again. Raises GitFailed if it is refused."""
        code, out, said = self._repository.git.run(
            *("push", "--quiet", "--porcelain", "--no-verify", "--recurse-submodules=no", self._name),
            f"{head.commit}:{head.ref}",
            patience=_PATIENCE,
            networked=True,
        )
        if code == 0:
            return True
        if _BEHIND.search(out + said) and b"[remote rejected] (pre-receive" not in out + said:
            return False
        raise GitFailed("git-remote", remote=self._name, said=spoken(said))
