"""Flow G. What changed in memory is committed to git, gathered and in the background, in the host's own name.

Files are the truth, so nothing depends on it: a commit that cannot be made now is made later, with what came meanwhile.
"""

import asyncio
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

import structlog

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.durable import notes, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.git.command import GitFailed, GitUnready
from nanoclaw.git.repository import Repository
from nanoclaw.git.summary import summary
from nanoclaw.texts import say, tell

log = structlog.get_logger("versions")

T = TypeVar("T")

WORKSPACE = "workspace"
"""The key of the work that commits."""
UNREADY = "versions-unready"
"""The note that says since when, and why, nothing can be committed."""
_LOOK_AGAIN = timedelta(minutes=1)
_TOLD_AFTER = timedelta(minutes=5)  # most of what people do in git takes less


class Versions:
    """The work of kind "versions"; its key is the workspace."""

    kind = work.VERSIONS
    at_once = 1

    def __init__(self, *, store: Store, home: Path, alerts: Alerts, commit_after: timedelta) -> None:
        self._store = store
        self._stop = threading.Event()
        self._repository = Repository(home, self._stop)
        self._alerts = alerts
        self._commit_after = commit_after

    def plan(self, tx: Tx) -> None:
        """At a start: a killed host, or a person's editor, may have left something uncommitted."""
        work.due(tx, work.VERSIONS, WORKSPACE, now() + self._commit_after, hasten=False)

    def begin(self, tx: Tx, claim: Claim) -> str:
        return claim.key

    def look_again(self, key: str) -> None:
        """What is written meanwhile is committed when this runs again."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        try:
            await self._in_thread(self._commit)
        except GitUnready as error:
            return await self._store.write(partial(self._unready, claim=claim, error=error))
        except GitFailed as error:
            log.warning("not committed yet", reason=error)
            return await self._store.write(lambda tx: work.finish(tx, claim, again_at=now() + _LOOK_AGAIN))
        return await self._store.write(lambda tx: self._done(tx, claim))

    def _commit(self) -> None:
        repository = self._repository
        folders = [
            each.relative_to(repository.home).as_posix()
            for each in repository.home.glob("companies/*/memory")
        ]
        if paths := repository.changed(*folders) if folders else []:
            message = summary(repository, paths)
            commit = repository.commit(paths, message)
            log.info("memory committed", commit=commit, files=len(paths))

    def _done(self, tx: Tx, claim: Claim) -> datetime | None:
        notes.forget(tx, UNREADY)
        return work.finish(tx, claim)

    def _unready(self, tx: Tx, *, claim: Claim, error: GitUnready) -> datetime | None:
        """Nothing is lost: the files are there. The owner is told once if it lasts."""
        if error.key in ("git-missing", "git-no-repository"):
            return work.finish(tx, claim)  # the doctor says so
        at = now()
        known = notes.read(tx, UNREADY)
        if known is None or known["key"] != error.key:
            known = {"key": error.key, "values": error.values, "since": at.isoformat()}
            notes.write(tx, UNREADY, known, at)
        if at - datetime.fromisoformat(known["since"]) >= _TOLD_AFTER:
            self._alerts.post(
                tx,
                f"versions {error.key} {known['since']}",
                lambda language: (say(language, "alert-versions-unready", reason=tell(language, error)), ()),
            )
        return work.finish(tx, claim, again_at=at + _LOOK_AGAIN)

    async def _in_thread(self, act: Callable[[], T]) -> T:
        """Which ends soon when the host stops."""
        doing = asyncio.create_task(asyncio.to_thread(act))
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            self._stop.set()
            await asyncio.gather(doing, return_exceptions=True)
            raise
