"""Watches the database while the host runs: whether it is there, intact, and of this host's version.

Writers notice much of that, but a file that was overwritten is still right in memory, and a host to which
nobody writes would notice nothing at all.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

import sqlalchemy as sa
import structlog

from nanoclaw.domain.errors import NanoClawError, StoreUnavailable
from nanoclaw.durable import notes
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.tables import SCHEMA_VERSION
from nanoclaw.host.alarm import Alarm

log = structlog.get_logger("host")

LOOK_EVERY = 5.0  # seconds
CHECK_EVERY = 60.0  # seconds; reads the whole file
_SHARE = 0.001  # of the time, at most, goes into reading the whole file
REFRESH_EVERY = 20.0  # seconds; where owners can be reached
_NOTE = "watch"  # a row written to test whether writing works
PATIENCE = 30.0  # seconds before an owner is told of a trouble that may pass


class StoreWatch:
    def __init__(self, store: Store, alarm: Alarm, unfit: Callable[[NanoClawError], None]) -> None:
        """`unfit` is told why this host must stop."""
        self._store = store
        self._alarm = alarm
        self._unfit = unfit
        self._watching: asyncio.Task[None] | None = None
        self._check_at = monotonic() + CHECK_EVERY
        self._refresh_at = 0.0
        self._trouble: str | None = None
        self._since = 0.0
        self._alarmed = False

    def start(self) -> None:
        self._watching = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
        condition = self._store.condition
        if condition.trouble is None or condition.is_lasting:
            return
        try:
            await self._try_to_write()
        except StoreUnavailable as trouble:
            condition.refuse(
                trouble
            )  # otherwise code that insists on writing would keep the host from stopping

    async def _try_to_write(self) -> None:
        await self._store.write(lambda tx: notes.write(tx, _NOTE, 1, now()))

    async def _watch(self) -> None:
        while True:
            try:
                await self._look()
                await self._report()
            except Exception:  # whatever it is, the next check must come
                log.exception("database not looked after")
            await asyncio.sleep(LOOK_EVERY)

    async def _look(self) -> None:
        condition = self._store.condition
        began = monotonic()
        thoroughly = began >= self._check_at
        await self._store.examine(thoroughly=thoroughly)
        if thoroughly:
            self._check_at = monotonic() + max(CHECK_EVERY, (monotonic() - began) / _SHARE)
        if condition.is_lasting:
            self._stop_if_foreign()
            return
        try:
            condition.check_version(await self._store.read(_version), SCHEMA_VERSION)
            if condition.trouble is not None:  # it may be over, and nobody else tries
                await self._try_to_write()
            elif began >= self._refresh_at:
                await self._alarm.refresh()
                self._refresh_at = began + REFRESH_EVERY
        except StoreUnavailable as outage:
            condition.went_wrong(outage)
            self._stop_if_foreign()
        except NanoClawError as error:
            log.warning("database not read", reason=error)

    def _stop_if_foreign(self) -> None:
        trouble = self._store.condition.trouble
        if trouble is not None and trouble.key == "schema-foreign":
            self._unfit(trouble)

    async def _report(self) -> None:
        """Report to the log once; to the owner once, at once if it is permanent, and again when it is over."""
        trouble = self._store.condition.trouble
        if trouble is None:
            if self._trouble:
                log.info("database works again")
            if self._alarmed:
                await self._alarm.tell_over()
            self._trouble, self._alarmed = None, False
            return
        if self._trouble != trouble.key:
            log.error("database in trouble", reason=trouble)
            self._since = monotonic() if self._trouble is None else self._since
            self._trouble = trouble.key
        is_time = self._store.condition.is_lasting or monotonic() - self._since >= PATIENCE
        if is_time and not self._alarmed:
            self._alarmed = await self._alarm.tell(trouble)


def _version(tx: Tx) -> str | None:
    try:
        found: str | None = tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    except (sa.exc.ProgrammingError, sa.exc.OperationalError) as error:
        if "alembic_version" in str(error.orig):  # someone has dropped the tables
            return None
        raise
    return found
