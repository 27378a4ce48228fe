"""The engine: continues stored work, here or after a crash, on this host or another.

Work starts at once when the store kicks the engine after a commit; nothing polls. A slow sweep is the safety
net: it finds what other hosts left and what became due while nobody looked.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

import structlog

from nanoclaw.domain.errors import LeaseLost, NanoClawError, StoreUnavailable
from nanoclaw.domain.ids import HostId
from nanoclaw.durable import clock_check, restore_hold, session_queue, work
from nanoclaw.durable.after_commit import begin_after, first_due
from nanoclaw.durable.clock import ClockWatch, boot_id, follow_machine, now
from nanoclaw.durable.heartbeat import Heartbeat
from nanoclaw.durable.hooks import Hooks
from nanoclaw.durable.lanes import Job, Lane, Story
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.work import Claim

log = structlog.get_logger("engine")

T = TypeVar("T")

_SHORT_PAUSE = timedelta(seconds=1)
_LONG_PAUSE = timedelta(minutes=1)
_FAR = 60.0  # seconds
_GO_WITHIN = 1.0  # seconds, after a person released the hold


def take_work(
    tx: Tx, story: Story[Job], key: str, host: HostId, at: datetime
) -> tuple[Claim, Job] | datetime | None:
    """The claim and everything it needs; otherwise when it is due, or None if there is nothing to do."""
    claim = work.claim(tx, story.kind, key, host, at)
    if claim is None:
        return work.due_at(tx, story.kind, key)
    job = story.begin(tx, claim)
    if job is None:
        work.finish(tx, claim)
        return None
    return claim, job


class Place:
    """Room, if there is any, for work about to be stored: it is claimed in the same transaction, so that it
    starts without a second one.
    """

    def __init__(self, engine: "Engine", lane: Lane[Any] | None) -> None:
        self._engine = engine
        self._lane = lane

    def take(self, tx: Tx) -> None:
        """Claim the first work of this kind that the transaction made due; it begins after the commit."""
        if self._lane is None or (key := first_due(tx, self._lane.story.kind)) is None:
            return
        taken = take_work(tx, self._lane.story, key, self._engine.host, now())
        if isinstance(taken, tuple):
            begin_after(tx, partial(self._engine.go_on_with, self._lane, taken))

    def give_back(self) -> None:
        if self._lane is not None:
            self._lane.reserved -= 1
            self._engine.fill(self._lane)


class Engine:
    """Runs the stories. Everything here is on one event loop."""

    def __init__(
        self,
        store: Store,
        host: HostId,
        workspace: str,
        *,
        hooks: Hooks | None = None,
        sweep_every: float = 5.0,
        lifetime: float = 20.0,
    ) -> None:
        """On a shared database, other hosts take over from one that was silent for its `lifetime`."""
        self._store = store
        store.after_commit.kicks(self.kick_at)
        self._sweep_every = 1.0 if store.shared else sweep_every
        self._lanes: dict[str, Lane[Any]] = {}
        self._timers: dict[tuple[str, str], asyncio.TimerHandle] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._open = False
        self.held = False
        """After a restore nothing is claimed until a person says go. What arrives is stored and waits."""
        self._clock = ClockWatch()
        self.awake_since = self._looked_at = now()
        """Since when this host has run without a gap; a sleeping machine is a gap."""
        self._hooks = hooks or Hooks()
        self._returning: list[asyncio.Task[None]] = []
        self._idle: set[str] = set()  # leases found claimed but not running here at the last look
        self._settings_seen = 0  # how many clock changes have been handled
        self.heartbeat = Heartbeat(store, host, workspace, lifetime, stop_work=self._stop_work)
        self.liveness = self.heartbeat.liveness

    @property
    def host(self) -> HostId:
        """The id of this host; a new one after the others gave it up."""
        return self.heartbeat.host

    async def clock_moved(self, by: timedelta) -> None:
        log.warning("clock was set", seconds=round(by.total_seconds()))
        self._settings_seen = await self._store.write(partial(self._put_right, by=by))
        for heed in self._hooks.clock_set_here:
            heed(by)

    def _put_right(self, tx: Tx, by: timedelta) -> int:
        """Adjust whatever depends on the clock. Returns how often that has been done."""
        seen = clock_check.settings_seen(tx)
        if seen == self._settings_seen:  # otherwise another host noticed it first
            for heed in (work.heed_clock, session_queue.heed_clock, *self._hooks.clock_set):
                heed(tx, by)
        self._clock.trust()
        if seen != self._settings_seen:
            return seen
        return clock_check.count_setting(tx, now(), apart=self._clock.apart, boot=self._boot)

    def register(self, story: Story[Any]) -> None:
        self._lanes[story.kind] = Lane(story)

    async def start(self) -> None:
        self._open = True

        if self._store.shared:
            await self.heartbeat.set_clock()
            # From this machine's time to the database's: nobody set a clock.
            self._clock.heeded(self._clock.moved())
        self._clock.trust()
        recovered = await self._store.write(self._begin)
        self.held = await self._store.read(restore_hold.read) is not None
        if recovered:
            log.info("work recovered", count=recovered)
        await self._sweep()
        self._keepers.append(asyncio.create_task(self._every(self._sweep_every, self._sweep)))
        if self._store.shared:
            self._keepers.append(asyncio.create_task(self.heartbeat.run()))

    def _begin(self, tx: Tx) -> int:
        """Repair whatever a clock change or a dead host left behind."""
        at = now()
        clock_check.go_on_after_newest(tx)
        apart, boot = self._clock.apart, self._boot
        alone = not self._store.shared or work.count_hosts(tx, at) == 0
        if alone and (by := clock_check.moved_since(tx, at, apart=apart, boot=boot)):
            log.warning("clock was set while no host ran", seconds=round(by.total_seconds()))
            for heed in (work.heed_clock, session_queue.heed_clock, *self._hooks.clock_set):
                heed(tx, by)
        self._settings_seen = clock_check.remember(tx, at, apart=apart, boot=boot)
        self.heartbeat.enlist(tx)
        return self._recover(tx)

    def _recover(self, tx: Tx) -> int:
        recovered, suspects = work.recover(tx, now())
        if suspects:
            self._hooks.suspects(tx, suspects)
        return recovered

    @property
    def _boot(self) -> str:
        """Empty on a shared database, where the time is not this machine's."""
        return "" if self._store.shared else boot_id()

    async def stop(self, *, grace: float) -> None:
        """Let running work end, then put the rest back for the next start or another host."""
        self._open = False
        for keeper in self._keepers:
            keeper.cancel()
        for timer in self._timers.values():
            timer.cancel()
        running = [task for lane in self._lanes.values() for task in lane.running.values()]
        if running:
            _, late = await asyncio.wait(running, timeout=grace)
            for task in late:
                task.cancel()
            if late:  # not for ever: a full disk takes nothing, and the next start recovers it anyway
                await asyncio.wait(late, timeout=grace)
        await asyncio.gather(*self._keepers, *self._returning, return_exceptions=True)
        await self.heartbeat.close()
        try:
            await self._store.write(lambda tx: work.discharge(tx, self.host))
        except StoreUnavailable as error:
            log.warning("host not discharged", reason=error)
        follow_machine()

    async def write_and_start(self, kind: str, write: Callable[[Place], Awaitable[T]]) -> T:
        """Store work and start it in the same transaction if a place is free. The caller may be cancelled;
        what was committed begins anyway.
        """
        place = Place(self, self._place_for(kind))
        try:
            return await write(place)
        finally:
            place.give_back()

    def _place_for(self, kind: str) -> Lane[Any] | None:
        """None if there is no room, or this host does no such work."""
        lane = self._lanes.get(kind)
        # A host that may have been given up claims nothing: another host would take it away midway.
        if not self._open or not self.liveness.is_sure or self.held or lane is None:
            return None
        if lane.ready or not lane.has_room:
            return None
        lane.reserved += 1
        return lane

    def go_on_with(self, lane: Lane[Any], taken: tuple[Claim, Any]) -> None:
        """Run work that was claimed where it was stored. If this host ends, the next one recovers it."""
        if not self._open:
            self._returning.append(asyncio.create_task(self._give_back(taken[0])))
            return
        key = taken[0].key
        if timer := self._timers.pop((lane.story.kind, key), None):
            timer.cancel()
        lane.running[key] = asyncio.create_task(self._do(lane, key, taken))

    async def _give_back(self, claim: Claim) -> None:
        """Give back work claimed in a transaction that was running when the host began to stop: nothing was
        done yet.
        """

        def story(tx: Tx) -> None:
            work.put_back(tx, claim, now(), None)
            self._hooks.stray(tx, claim)

        with suppress(NanoClawError):
            await self._store.write(story)

    def kick(self, kind: str, key: str, priority: int | None = None) -> None:
        """Start it now, or as soon as a place is free, if this host does such work. The store calls this
        after the commit for work that a transaction made due.
        """
        lane = self._lanes.get(kind)
        if lane is None:
            return
        if priority:
            lane.ranks[key] = priority
        if timer := self._timers.pop((kind, key), None):
            timer.cancel()
        if key in lane.running:
            lane.kicked.add(key)
            # In the next round: what was claimed in this one has not begun to run, and nobody would look.
            asyncio.get_running_loop().call_soon(lane.story.look_again, key)
        elif self._open and not self.held:  # otherwise the sweep finds it when a person says go
            lane.ready.add(key, lane.ranks.get(key, 0))
            self.fill(lane)

    def kick_at(self, kind: str, key: str, at: datetime, priority: int | None = None) -> None:
        """The same for work that is not due yet."""
        delay = (at - now()).total_seconds()
        if delay <= 0:
            self.kick(kind, key, priority)
        # What is far off is left to the sweep: a timer for a year would be kept for a year.
        elif self._open and delay < _FAR:
            loop = asyncio.get_running_loop()
            if timer := self._timers.get((kind, key)):
                if timer.when() <= loop.time() + delay:  # too early does no harm: the row says when it is due
                    return
                timer.cancel()
            self._timers[kind, key] = loop.call_later(delay, self.kick, kind, key, priority)

    @asynccontextmanager
    async def place_lent(self, kind: str, key: str) -> AsyncIterator[None]:
        """Lend the place to others during a long wait inside work, such as for a person."""
        lane = self._lanes.get(kind)
        if lane is None:
            yield
            return
        async with lane.place_lent(key, partial(self.fill, lane)):
            yield

    def fill(self, lane: Lane[Any]) -> None:
        lane.let_come_back()
        while self._open and lane.ready and lane.has_room:
            key = lane.ready.pop()
            lane.running[key] = asyncio.create_task(self._do(lane, key))

    async def _do(self, lane: Lane[Job], key: str, taken: tuple[Claim, Job] | None = None) -> None:
        again: datetime | None = None
        self.liveness.begin_work()
        try:
            if taken is not None:
                again = await self._run(lane.story, *taken)
            else:
                again = await self._claim_and_run(lane.story, key)
        finally:
            # If it is not, the next run was claimed with its message.
            if lane.running.get(key) is asyncio.current_task():
                del lane.running[key]
                lane.ended(key)
            if key in lane.kicked:  # work may have come between the end of that run and now
                lane.kicked.discard(key)
                again = now()
            if again is not None:
                self.kick_at(lane.story.kind, key, again)
            else:
                lane.ranks.pop(key, None)
            self.fill(lane)

    async def _claim_and_run(self, story: Story[Job], key: str) -> datetime | None:
        try:
            await self.liveness.assure()
            at = now()  # read once: a clock set after this must not make anything due
            await self._heed_clock()
            taken = await self._store.write(partial(take_work, story=story, key=key, host=self.host, at=at))
        except NanoClawError as error:
            log.warning("work not taken", kind=story.kind, key=key, reason=error)
            return now() + _SHORT_PAUSE
        except Exception:
            log.exception("work not taken", kind=story.kind, key=key)
            return now() + _LONG_PAUSE
        if taken is None or isinstance(taken, datetime):
            return taken  # done by another host, or kicked too early
        return await self._run(story, *taken)

    async def _run(self, story: Story[Job], claim: Claim, job: Job) -> datetime | None:
        key = claim.key
        try:
            return await story.run(job, claim)
        except LeaseLost:
            log.warning("lease lost", kind=claim.kind, key=key)
            return None
        except asyncio.CancelledError:
            with suppress(NanoClawError):
                await self._store.write(lambda tx: work.put_back(tx, claim, now(), None))
            raise
        except Exception as error:  # the story handles what it can; the rest must not get lost
            log.exception("work failed", kind=claim.kind, key=key, attempt=claim.attempt)
            pause = min(_SHORT_PAUSE * 2**claim.attempt, _LONG_PAUSE)
            return await self._put_back(claim, now() + pause, repr(error))

    async def _put_back(self, claim: Claim, at: datetime, error: str) -> datetime | None:
        try:
            return await insist(
                self._store,
                lambda tx: work.put_back(tx, claim, at, error),
                told=lambda why: log.warning("work not put back yet", reason=why),
            )
        except (LeaseLost, StoreUnavailable):  # StoreUnavailable: the next start recovers it
            return None

    async def _sweep(self) -> None:
        await self.liveness.assure()
        await self._heed_clock()
        if await self._is_held():
            return
        horizon = now() + timedelta(seconds=self._sweep_every)

        def look(tx: Tx) -> list[tuple[str, str, datetime, int]]:
            if self._store.shared:
                self._recover(tx)
            return work.waiting(tx, horizon)

        found = await (self._store.write(look) if self._store.shared else self._store.read(look))
        if self._store.shared:  # another host may have stored something for what runs here
            for lane in self._lanes.values():
                for key in lane.running:
                    lane.story.look_again(key)
            await self._put_back_strays()
        for kind, key, at, priority in found:
            if kind in self._lanes and key not in self._lanes[kind].ready:
                self.kick_at(kind, key, at, priority)

    async def _put_back_strays(self) -> None:
        """Put back work that the rows say is this host's but that does not run: it was claimed in a
        transaction whose result was lost with the connection. If seen twice, it is not a claim in the
        making.
        """
        claimed_here = await self._store.read(partial(work.claimed_by, host=self.host))
        idle = {
            claim.lease: claim
            for claim in claimed_here
            if claim.kind in self._lanes and claim.key not in self._lanes[claim.kind].running
        }
        strays = [claim for lease, claim in idle.items() if lease in self._idle]
        self._idle = set(idle)

        def story(tx: Tx) -> None:
            for claim in strays:
                work.put_back(tx, claim, now(), None)
                self._hooks.stray(tx, claim)

        if strays:
            log.warning("work put back that was taken and never begun", count=len(strays))
            await self._store.write(story)

    async def _is_held(self) -> bool:
        """Whether work is held. A shared database may have been restored while this host slept."""
        if self.held or self._store.shared:
            was_held, self.held = self.held, await self._store.read(restore_hold.read) is not None
            if was_held and not self.held:
                log.info("held no longer")
                self.awake_since = now()
        return self.held

    async def _heed_clock(self) -> None:
        """Before anything is claimed: otherwise what was due by the old clock would be judged by the new one."""
        if now() - self._looked_at > _LONG_PAUSE:
            self.awake_since = now()
        self._looked_at = now()
        if not (by := self._clock.moved()):
            return
        self._clock.heeded(by)  # before the first await, so that it is done once
        try:
            await self.clock_moved(by)
        except BaseException:
            self._clock.heeded(-by)
            self._clock.trust()
            raise

    async def _stop_work(self) -> None:
        """Stop everything that runs: others may have all of it by now."""
        running = [task for lane in self._lanes.values() for task in lane.running.values()]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_LONG_PAUSE.total_seconds())

    async def _every(self, seconds: float, act: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(min(seconds, _GO_WITHIN) if self.held else seconds)
            try:
                await act()
            except NanoClawError as error:
                log.warning("sweep put off", reason=error)
            except Exception:
                log.exception(
                    "sweep failed"
                )  # the next one may succeed; without any, due work would never be done
