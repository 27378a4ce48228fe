"""A host among others: tells the shared database that it is alive, takes the time from there, and starts over
if it was given up.

It is given up after a lifetime of silence: it was cut off, or slept. Others have its work by then, so
everything it does is stopped, nothing pending is sent, and it starts again with nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog

from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.durable import work
from nanoclaw.durable.clock import A_JUMP, follow, machine_now, now, since_boot
from nanoclaw.durable.liveness import Liveness
from nanoclaw.durable.store import Store, Tx, insist

log = structlog.get_logger("heartbeat")

_BEATS = 5  # per lifetime


class Heartbeat:
    """`stop_work` ends whatever runs here."""

    def __init__(
        self,
        store: Store,
        host: HostId,
        workspace: str,
        lifetime: float,
        *,
        stop_work: Callable[[], Awaitable[None]],
    ) -> None:
        self.liveness = Liveness(lifetime, self._beat)
        self.host = host
        """A new id in every life: claims of an earlier one belong to nobody."""
        self.hosts = 1
        """How many hosts there are, including this one."""
        self.apart = timedelta()
        """The offset between this machine's clock and the database's."""
        self._store = store
        self._workspace = workspace
        self._lifetime = timedelta(seconds=lifetime)
        self._stop_work = stop_work
        self._starting_over: asyncio.Task[None] | None = None

    def enlist(self, tx: Tx) -> None:
        """Add this host; from now on the others count on it."""
        work.enlist(tx, self.host, self._workspace, now(), now() + self._lifetime)

    async def set_clock(self) -> None:
        """Every host on a database uses the database's time."""
        asked_at = since_boot()
        moment = await self._store.read(_moment)
        self._follow(moment, asked_at)
        if abs(self.apart) >= A_JUMP:
            log.warning("clock apart from the database's", seconds=round(self.apart.total_seconds()))

    async def run(self) -> None:
        """Beat for ever."""
        self.liveness.renewed(since_boot())
        while True:
            await asyncio.sleep(self._lifetime.total_seconds() / _BEATS)
            try:
                await self._beat()
            except StoreUnavailable as error:
                log.warning("no beat", reason=error)
                if not self.liveness.is_sure:
                    self._start_over()
            except Exception:
                log.exception("beat failed")  # without further beats, the host would be given up in silence

    async def close(self) -> None:
        if self._starting_over:
            self._starting_over.cancel()
            await asyncio.gather(self._starting_over, return_exceptions=True)

    async def _beat(self) -> None:
        if self._starting_over and not self._starting_over.done():
            await asyncio.shield(self._starting_over)
            return
        asked_at = since_boot()

        def story(tx: Tx) -> tuple[bool, datetime, int]:
            moment = _moment(tx)
            return work.beat(tx, self.host, moment + self._lifetime), moment, work.count_hosts(tx, moment)

        known, moment, self.hosts = await self._store.write(story)
        if known:
            self.liveness.renewed(asked_at)
            self._follow(moment, asked_at)
        else:
            self._start_over()

    def _follow(self, moment: datetime, asked_at: float) -> None:
        self.apart = machine_now() - moment
        follow(moment, (asked_at + since_boot()) / 2)

    def _start_over(self) -> None:
        """Start over in a separate task: the caller that found out is stopped with the rest."""
        if self._starting_over is None or self._starting_over.done():
            log.error("host given up by the others; its work is stopped here")
            self.liveness.end()
            self._starting_over = asyncio.create_task(self._begin_again())

    async def _begin_again(self) -> None:
        await self._stop_work()
        asked_at, before = since_boot(), self.host
        self.host = HostId(new_id("h"))

        def story(tx: Tx) -> None:
            work.put_back_all_of(tx, before, now())
            self.enlist(tx)

        await insist(self._store, story, told=lambda why: log.warning("not enlisted yet", reason=why))
        self.liveness.renewed(asked_at)


def follow_database(tx: Tx) -> None:
    """For programs that only read, or store something for a host: their time must be the hosts' time."""
    follow(_moment(tx), since_boot())


def _moment(tx: Tx) -> datetime:
    found: datetime = tx.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
    return found
