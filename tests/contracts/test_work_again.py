"""When work that runs is due again: the earliest that came meanwhile, unless it says itself, on every database."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from itertools import permutations

import pytest

from nanoclaw.domain.ids import HostId
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.work import Claim

pytestmark = pytest.mark.capability("A5", "L3", "F4")

HOST = HostId("h_1")


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    store = open_store(database_url)
    yield store
    store.close()


def taken(tx: Tx, key: str) -> Claim:
    work.due(tx, work.TASK, key, now())
    claim = work.claim(tx, work.TASK, key, HOST, now())
    assert claim
    return claim


async def test_finished_work_is_due_again_when_it_asks_for_it_else_when_more_of_it_came(store: Store) -> None:
    soon, late = now() + timedelta(minutes=1), now() + timedelta(days=1)

    def story(tx: Tx, key: str, came: datetime | None, wanted: datetime | None) -> datetime | None:
        claim = taken(tx, key)
        if came:
            work.due(tx, work.TASK, key, came)
        again = work.finish(tx, claim, again_at=wanted)
        assert work.due_at(tx, work.TASK, key) == again
        return again

    cases = {
        "a": (soon, late, late),
        "b": (late, soon, soon),
        "c": (None, late, late),
        "d": (late, None, late),
        "e": (None, None, None),
    }
    for key, (came, wanted, again) in cases.items():
        assert await store.write(lambda tx, k=key, c=came, w=wanted: story(tx, k, c, w)) == again  # type: ignore[misc]


async def test_of_several_times_that_came_while_it_ran_the_earliest_counts(store: Store) -> None:
    times = [now() + timedelta(minutes=minutes) for minutes in (1, 5, 9)]

    def story(tx: Tx) -> list[datetime | None]:
        found = []
        for number, order in enumerate(permutations(times)):
            claim = taken(tx, str(number))
            for at in order:
                work.due(tx, work.TASK, str(number), at)
            found.append(work.finish(tx, claim))
        return found

    assert await store.write(story) == [times[0]] * 6
