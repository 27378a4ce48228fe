"""The host's automatic backup. It is one row of work: one of several hosts does it, even after a crash."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import structlog

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.durable import notes, restore_hold, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.work import Claim
from nanoclaw.host.backup import names
from nanoclaw.host.backup.creation import make
from nanoclaw.host.backup.manifest import Made
from nanoclaw.host.settings import Settings
from nanoclaw.texts import say, tell

log = structlog.get_logger("backup")

KIND = "backup"
KEY = "workspace"
_FIRST = timedelta(minutes=5)  # after a start, which it should not slow down
_AFTER_FAILURE = timedelta(hours=1)


@dataclass(kw_only=True)
class Backups:
    """The only work of kind "backup"."""

    home: Path
    settings: Settings
    store: Store
    alerts: Alerts
    workspace: str
    kind: str = KIND
    at_once: int = 1

    def plan(self, tx: Tx) -> None:
        """At a start, plan when the next one is due. A longer period applies from the next backup on."""
        made = notes.read(tx, restore_hold.BACKUP)
        soon = now() + _FIRST
        due = max(datetime.fromisoformat(made["at"]) + self._period, soon) if made else soon
        work.due(tx, KIND, KEY, due)

    def begin(self, _tx: Tx, claim: Claim) -> Claim:
        return claim

    def look_again(self, key: str) -> None:
        """Nothing to do: nothing changes while it runs."""

    async def run(self, job: Claim, claim: Claim) -> datetime | None:
        try:
            made = await self._make()
        except NanoClawError as error:
            log.warning("backup failed", reason=error)
            return await self._end(partial(self._failed, claim=claim, error=error))
        except OSError as error:
            log.exception("backup failed")
            said = Refused("backup-failed", said=error.strerror or str(error))
            return await self._end(partial(self._failed, claim=claim, error=said))
        log.info("backup made", file=made.file, bytes=made.bytes, skipped=len(made.skipped))
        return await self._end(partial(self._done, claim=claim, made=made))

    async def _make(self) -> Made:
        """Runs in a thread, which ends soon when the host stops."""
        stop, folder = threading.Event(), names.folder_of(self.home, self.settings)
        target = names.free_name(folder, now().astimezone(UTC))
        making = asyncio.create_task(asyncio.to_thread(make, self.home, self.settings, target, stop=stop))
        try:
            made = await asyncio.shield(making)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.gather(making, return_exceptions=True)
            raise
        await asyncio.to_thread(names.rotate, folder, self.settings.backup.keep)
        return made

    async def _end(self, story: Callable[[Tx], datetime]) -> datetime:
        return await insist(
            self.store, story, told=lambda why: log.warning("backup not recorded yet", reason=why)
        )

    def _done(self, tx: Tx, *, claim: Claim, made: Made) -> datetime:
        noted = {
            "file": made.file,
            "at": made.created_at.isoformat(),
            "bytes": made.bytes,
            "workspace": self.workspace,
        }
        notes.write(tx, restore_hold.BACKUP, noted, now())
        return self._again(tx, claim, self._period)

    def _failed(self, tx: Tx, *, claim: Claim, error: NanoClawError) -> datetime:
        """Alert at most once a day: an owner who knows need not hear it every hour."""
        self.alerts.post(
            tx,
            f"backup {now():%Y-%m-%d}",
            lambda language: (say(language, "alert-backup", reason=tell(language, error)), ()),
        )
        return self._again(tx, claim, min(_AFTER_FAILURE, self._period))

    def _again(self, tx: Tx, claim: Claim, after: timedelta) -> datetime:
        again = now() + after
        return work.finish(tx, claim, again_at=again) or again

    @property
    def _period(self) -> timedelta:
        return timedelta(hours=self.settings.backup.every)
