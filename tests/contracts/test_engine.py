"""The engine keeps its promises on every database: one at a time per key, in order, nothing lost, nothing twice."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial

import pytest

from nanoclaw.domain.errors import LeaseLost, StoreUnavailable
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine, Place
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.work import Claim

pytestmark = pytest.mark.capability("A5", "L3")

KIND = "errand"


class Errand:
    """A story that writes down what it did, and can be told to wait or to fail."""

    kind = KIND

    def __init__(self, store: Store, *, at_once: int = 3) -> None:
        self.at_once = at_once
        self.store = store
        self.begun: list[str] = []
        self.done: list[str] = []
        self.running: set[str] = set()
        self.most_running = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.faults: list[Exception] = []
        self.again: Callable[[], datetime | None] = lambda: None
        self.meanwhile: Callable[[], Awaitable[None]] | None = None
        self._changed = asyncio.Condition()

    def begin(self, tx: Tx, claim: Claim) -> str:
        self.begun.append(claim.key)
        return claim.key

    def look_again(self, key: str) -> None:
        """It looks for more by itself."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        assert job not in self.running, "two at once for one key"
        self.running.add(job)
        self.most_running = max(self.most_running, len(self.running))
        await self._tell()
        try:
            await self.gate.wait()
            if self.faults:
                raise self.faults.pop()
            due_again = await self.store.write(lambda tx: work.finish(tx, claim, again_at=self.again()))
            self.done.append(job)
            if self.meanwhile:
                await self.meanwhile()
            return due_again
        finally:
            self.running.discard(job)
            await self._tell()

    async def until(self, met: Callable[[], bool]) -> None:
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(met)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


class TestEngine:
    @pytest.fixture
    async def store(self, database_url: str) -> AsyncIterator[Store]:
        store = open_store(database_url)
        yield store
        store.close()

    @pytest.fixture
    async def errand(self, store: Store) -> Errand:
        return Errand(store)

    @pytest.fixture
    async def engine(self, store: Store, errand: Errand) -> AsyncIterator[Engine]:
        engine = Engine(store, HostId(new_id("h")), "here")
        engine.register(errand)
        await engine.start()
        yield engine
        errand.gate.set()
        await engine.stop(grace=5)

    async def test_work_starts_at_once_when_it_is_written_down(
        self, store: Store, engine: Engine, errand: Errand
    ) -> None:
        await ask_for(store, "a")
        await errand.until(lambda: errand.done == ["a"])

    async def test_work_claimed_where_it_is_written_may_follow_on_the_heels_of_the_last(
        self, store: Store, errand: Errand
    ) -> None:
        """Between the end that is written down and the end of its task, the same key may be claimed again."""

        async def another() -> None:
            errand.meanwhile = None
            errand.running.clear()
            errand.gate.clear()
            await engine.write_and_start(KIND, lambda place: store.write(partial(write, place)))

        def write(place: Place, tx: Tx) -> None:
            work.due(tx, KIND, "a", now())
            place.take(tx)

        engine = Engine(store, HostId(new_id("h")), "here", sweep_every=3600)
        engine.register(errand)
        await engine.start()
        errand.meanwhile = another
        await ask_for(store, "a")
        await errand.until(lambda: errand.begun == ["a", "a"] and errand.done == ["a"])
        await ask_for(store, "a")  # heard by the one that runs, not only by the next sweep
        errand.gate.set()
        await errand.until(lambda: errand.done == ["a"] * 3)
        await engine.stop(grace=5)

    async def test_a_key_is_worked_on_by_one_at_a_time_and_again_for_what_came_meanwhile(
        self, store: Store, engine: Engine, errand: Errand
    ) -> None:
        errand.gate.clear()
        await ask_for(store, "a")
        await errand.until(lambda: errand.running == {"a"})
        for _ in range(5):
            await ask_for(store, "a")
        errand.gate.set()
        await errand.until(lambda: errand.done == ["a", "a"])
        assert await store.read(lambda tx: work.waiting(tx, now() + timedelta(days=1))) == []

    async def test_work_that_comes_between_the_end_of_a_run_and_its_return_is_not_left_to_the_sweep(
        self, store: Store, errand: Errand
    ) -> None:
        engine = Engine(store, HostId(new_id("h")), "here", sweep_every=3600)
        engine.register(errand)
        await engine.start()

        async def more() -> None:
            errand.meanwhile = None
            await ask_for(store, "a")

        errand.meanwhile = more
        await ask_for(store, "a")
        await errand.until(lambda: errand.done == ["a", "a"])
        await engine.stop(grace=5)

    async def test_never_more_at_once_than_allowed_and_the_first_begin(
        self, store: Store, engine: Engine, errand: Errand
    ) -> None:
        errand.gate.clear()
        for key in "abcdefgh":
            await ask_for(store, key)
        await errand.until(lambda: len(errand.running) == 3)
        assert errand.running == set("abc")
        errand.gate.set()
        await errand.until(lambda: len(errand.done) == 8)
        assert errand.most_running == 3

    async def test_one_after_the_other_they_begin_in_the_order_in_which_they_came(self, store: Store) -> None:
        """Where several begin at once, a slow thread may let any number of others pass."""
        errand = Errand(store, at_once=1)
        engine = Engine(store, HostId(new_id("h")), "here")
        engine.register(errand)
        await engine.start()
        errand.gate.clear()
        for key in "hgfedcba":
            await ask_for(store, key)
        errand.gate.set()
        await errand.until(lambda: len(errand.done) == 8)
        assert errand.begun == errand.done == list("hgfedcba")
        await engine.stop(grace=5)

    async def test_work_that_is_due_later_waits_for_its_time(
        self, store: Store, engine: Engine, errand: Errand
    ) -> None:
        due = now() + timedelta(seconds=0.3)
        await store.write(lambda tx: work.due(tx, KIND, "a", due))
        engine.kick(KIND, "a")  # too early: nothing is claimed
        engine.kick_at(KIND, "a", due)
        await errand.until(lambda: errand.done == ["a"])
        assert now() >= due

    @pytest.mark.parametrize("later", [55, 3600])  # by its own timer, and by the sweep
    async def test_a_later_moment_does_not_put_off_an_earlier_one(
        self, store: Store, errand: Errand, later: int
    ) -> None:
        engine = Engine(store, HostId(new_id("h")), "here", sweep_every=600)
        engine.register(errand)
        await engine.start()
        for seconds in (0.5, later):
            await store.write(partial(work.due, kind=KIND, key="a", at=now() + timedelta(seconds=seconds)))
        async with asyncio.timeout(45):
            await errand.until(lambda: errand.done == ["a"])
        await engine.stop(grace=5)

    async def test_work_that_another_process_wrote_down_is_found_by_the_sweep(
        self, store: Store, errand: Errand, database_url: str
    ) -> None:
        engine, beside = (
            Engine(store, HostId(new_id("h")), "here", sweep_every=0.05),
            open_store(database_url),
        )
        engine.register(errand)
        await engine.start()
        await beside.write(lambda tx: work.due(tx, KIND, "a", now()))
        await errand.until(lambda: errand.done == ["a"])
        await engine.stop(grace=5)
        beside.close()

    async def test_an_error_puts_the_work_back_to_be_tried_again(
        self, store: Store, engine: Engine, errand: Errand
    ) -> None:
        errand.faults = [RuntimeError("a fault of the story")]
        await ask_for(store, "a")
        await errand.until(lambda: len(errand.begun) == 1 and not errand.running)
        await errand.until(lambda: errand.done == ["a"])
        assert errand.begun == ["a", "a"]

    async def test_stopping_puts_running_work_back_without_counting_the_attempt(
        self, store: Store, errand: Errand
    ) -> None:
        first = Engine(store, HostId(new_id("h")), "here")
        first.register(errand)
        await first.start()
        errand.gate.clear()
        await ask_for(store, "a")
        await errand.until(lambda: errand.running == {"a"})
        await first.stop(grace=0)
        assert errand.done == []
        later = now() + timedelta(seconds=1)  # the database's time was the host's, and is not the test's
        taken = await store.write(lambda tx: work.claim(tx, KIND, "a", HostId("h_other"), later))
        assert taken is not None
        assert taken.attempt == 1

    async def test_stopping_does_not_wait_for_a_database_that_cannot_be_written(
        self, store: Store, errand: Errand, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        engine = Engine(store, HostId(new_id("h")), "here")
        engine.register(errand)
        await engine.start()
        errand.gate.clear()
        await ask_for(store, "a")
        await errand.until(lambda: errand.running == {"a"})

        async def full(_: object) -> None:
            raise StoreUnavailable("disk-full")

        monkeypatch.setattr(store, "write", full)
        async with asyncio.timeout(60):
            await engine.stop(grace=0.1)

    async def test_the_next_host_of_a_workspace_takes_over_what_a_dead_one_left(
        self, store: Store, errand: Errand
    ) -> None:
        await store.write(
            lambda tx: work.enlist(tx, HostId("h_dead"), "here", now(), now() + timedelta(hours=1))
        )
        await store.write(lambda tx: work.due(tx, KIND, "a", now()))
        lost = await store.write(lambda tx: work.claim(tx, KIND, "a", HostId("h_dead"), now()))
        engine = Engine(store, HostId(new_id("h")), "here")
        engine.register(errand)
        await engine.start()
        await errand.until(lambda: errand.done == ["a"])
        await engine.stop(grace=5)
        assert lost is not None
        with pytest.raises(LeaseLost):  # a host that was wrongly thought dead can no longer write
            await store.write(lambda tx: work.finish(tx, lost))

    async def test_a_live_host_keeps_its_work(self, store: Store, engine: Engine) -> None:
        await store.write(
            lambda tx: work.enlist(tx, HostId("h_else"), "elsewhere", now(), now() + timedelta(hours=1))
        )
        assert await store.write(lambda tx: claimed_elsewhere(tx, "a", HostId("h_else")))
        assert await store.write(lambda tx: work.recover(tx, now())) == (0, [])
        assert await store.write(lambda tx: work.claim(tx, KIND, "a", HostId("h_third"), now())) is None

    async def test_a_host_that_does_not_beat_is_given_up(self, store: Store, engine: Engine) -> None:
        await store.write(lambda tx: work.enlist(tx, HostId("h_late"), "elsewhere", now(), now()))
        assert await store.write(lambda tx: claimed_elsewhere(tx, "b", HostId("h_late")))
        assert await store.write(lambda tx: work.recover(tx, now() + timedelta(seconds=1))) == (1, [])
        assert not await store.write(lambda tx: work.beat(tx, HostId("h_late"), now()))

    async def test_waiting_work_is_brought_forward_only_when_wanted(self, store: Store) -> None:
        later, sooner = now() + timedelta(hours=2), now() + timedelta(hours=1)
        await store.write(lambda tx: work.due(tx, KIND, "a", later))
        await store.write(lambda tx: work.due(tx, KIND, "a", sooner, hasten=False))
        assert [at for _, _, at, _ in await store.read(lambda tx: work.waiting(tx, later))] == [later]
        await store.write(lambda tx: work.due(tx, KIND, "a", sooner))
        assert [at for _, _, at, _ in await store.read(lambda tx: work.waiting(tx, later))] == [sooner]

    async def test_place_in_the_queue_counts_those_who_came_before(self, store: Store) -> None:
        for number, key in enumerate("abc"):
            at = now() + timedelta(seconds=number)
            await store.write(lambda tx, key=key, at=at: work.due(tx, KIND, key, at))  # type: ignore[misc]
        assert await store.read(lambda tx: work.place_of(tx, KIND, "c")) == 3
        assert await store.read(lambda tx: work.place_of(tx, KIND, "nobody")) is None


def claimed_elsewhere(tx: Tx, key: str, host: HostId) -> bool:
    work.due(tx, KIND, key, now())
    return work.claim(tx, KIND, key, host, now()) is not None


async def ask_for(store: Store, key: str) -> None:
    await store.write(lambda tx: work.due(tx, KIND, key, now()))
