"""One meeting with the git remote: merges what others committed, and pushes what we committed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

import structlog

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.company_context.open_merges import OpenMerge, OpenMerges
from nanoclaw.flows.syncing.report import Synced
from nanoclaw.flows.syncing.skill_rights import SkillRights
from nanoclaw.flows.syncing.threads import StoppedThreads
from nanoclaw.git.command import GitFailed
from nanoclaw.git.locks import alone
from nanoclaw.git.merger import Merged, Merger
from nanoclaw.git.remote import Fetched, Remote
from nanoclaw.git.repository import Repository
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.texts import say

log = structlog.get_logger("versions")

Branches = Callable[[Mapping[str, str]], Awaitable[Sequence[str]]]
"""Looks at the branches of the remote, commits by name. Returns those on which a result came back."""
_TRIES = 5  # while others push at the same time
_MOST_NAMED = 20


@dataclass(kw_only=True)
class Meeting:
    """Without a remote it only continues what a killed host left."""

    store: Store
    repository: Repository
    open_merges: OpenMerges
    alerts: Alerts
    threads: StoppedThreads
    branches: Branches

    def __post_init__(self) -> None:
        rights = SkillRights(home=self.repository.home)
        self._merging = Merger(self.repository, self._hold, rights.leaves_rights)
        self._memory = MemoryFiles(self.repository.home)

    async def sync(self, remote: Remote) -> Synced:
        synced = Synced(branch=(await self.threads.run(self.repository.head)).branch)
        for _ in range(_TRIES):
            fetched, merged = await self.threads.run(partial(self._merge, remote))
            if fetched.lost:
                synced = replace(synced, lost=fetched.lost)
                await self.store.write(partial(self._tell_lost, fetched=fetched))
            if merged:
                await self._follow(merged)
                synced = synced.with_merge(*_told(merged))
            went = await self.threads.run(partial(self._push, remote, fetched.theirs))
            if went is not None:
                results = await self.branches(fetched.heads)
                return replace(synced, went=went, results=results)
        raise GitFailed("git-overtaken", remote=remote.name)

    def _merge(self, remote: Remote) -> tuple[Fetched, Merged | None]:
        repository = self.repository
        fetched = remote.fetch(repository.head())
        theirs = fetched.theirs
        if theirs is None or repository.head().commit == theirs:
            return fetched, None
        with alone(repository.home):
            head = repository.ready()
            if head.commit and repository.is_ancestor(theirs, head.commit):
                return fetched, None
            merged = self._merging.begin(head, theirs)
            self._merging.finish(merged)
        return fetched, merged

    def _push(self, remote: Remote, theirs: str | None) -> list[str] | None:
        """The files that were pushed; None if somebody else was faster."""
        head = self.repository.head()
        if head.commit in (None, theirs):
            return []
        files = remote.unseen(head, theirs)
        return files if remote.push(head) else None

    async def resume(self) -> None:
        """Continue a merge during which a host died."""

        def finish() -> Merged | None:
            with alone(self.repository.home):
                merged = self._merging.under_way()
                if merged:
                    self.repository.ready()
                    self._merging.finish(merged)
            return merged

        with suppress(GitFailed):  # the branch has moved: it starts over
            if self._merging.is_under_way and (merged := await self.threads.run(finish)):
                await self._follow(merged)

    async def _follow(self, merged: Merged) -> None:
        """Store everything that follows from a merge before its record is forgotten."""
        log.info("merged", commit=merged.commit, files=len(merged.files), conflicts=len(merged.conflicts))
        opened = await self.open_merges.ask(merged)
        await self.store.write(partial(self._merged, merged=merged, opened=opened))
        await asyncio.to_thread(self._merging.forget)

    def _merged(self, tx: Tx, *, merged: Merged, opened: list[OpenMerge]) -> None:
        at = now()
        self.open_merges.keep(tx, opened, at)
        for company in merged.companies:
            if (self.repository.home / "companies" / company).is_dir():
                work.due(tx, work.MEMORY, company, at)
        if merged.left:
            told = {"files": ", ".join(merged.left), "branch": merged.branch}
            self._tell(tx, f"merge {merged.commit} left", "alert-versions-left", **told)
        if merged.refused:
            files = ", ".join(merged.refused[:_MOST_NAMED])
            self._tell(tx, f"merge {merged.commit} refused", "alert-versions-refused", files=files)

    def _tell_lost(self, tx: Tx, *, fetched: Fetched) -> None:
        told = {"count": fetched.lost, "commit": str(fetched.theirs)[:12]}
        self._tell(tx, f"remote lost {fetched.theirs} {fetched.lost}", "alert-versions-lost", **told)

    def _tell(self, tx: Tx, once: str, key: str, **values: object) -> None:
        self.alerts.post(tx, once, lambda language: (say(language, key, **values), ()))

    @contextmanager
    def _hold(self, company: str) -> Iterator[None]:
        (self.repository.home / "companies" / company / "memory").mkdir(parents=True, exist_ok=True)
        with self._memory.locked(company):
            yield


def _told(merged: Merged) -> tuple[list[str], list[str], list[str]]:
    """The files that came, that wait, and that were refused."""
    waits = [*merged.held, *(each.path for each in merged.conflicts), *merged.left]
    return [path for path in merged.files if path not in merged.held], waits, list(merged.refused)
