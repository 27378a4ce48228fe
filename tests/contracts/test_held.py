"""After a restore the engine claims nothing, whatever is written down, until a person says go; on both databases."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from tests.staging import until

from nanoclaw.domain.ids import HostId
from nanoclaw.durable import restore_hold, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine, Place
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import work as rows
from nanoclaw.durable.work import Claim

pytestmark = pytest.mark.capability("O2")


@dataclass(kw_only=True)
class Doing:
    """Work that notes that it was done."""

    store: Store
    kind: str
    at_once: int = 2
    done: list[str] = field(default_factory=list)

    def begin(self, _tx: Tx, claim: Claim) -> str:
        return claim.key

    def look_again(self, key: str) -> None:
        """There is nothing to look for."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        self.done.append(job)
        return await self.store.write(lambda tx: work.finish(tx, claim))


async def test_nothing_is_claimed_while_everything_is_held(database_url: str) -> None:
    store = open_store(database_url)
    engine = Engine(store, HostId("h_1"), "w", sweep_every=0.05)
    try:
        kinds = (work.TURN, work.DELIVERY, work.TASK, work.QUESTION, work.RUN, "backup")
        stories = [Doing(store=store, kind=kind) for kind in kinds]
        for story in stories:
            engine.register(story)

        def restored(tx: Tx) -> None:
            for kind in kinds:
                work.due(tx, kind, "old", now() - timedelta(hours=1))
            work.claim(tx, work.TURN, "old", HostId("h_0"), now())  # under way when the backup was made
            restore_hold.hold(tx, made_at=now().isoformat(), at=now())

        await store.write(restored)
        await engine.start()
        assert engine.held

        async def write(place: Place) -> None:
            def story(tx: Tx) -> None:
                work.due(tx, work.TURN, "new", now())
                place.take(tx)

            await store.write(story)

        await engine.write_and_start(work.TURN, write)
        engine.kick(work.TURN, "new")
        engine.kick_at(work.TURN, "old", now())
        before = await store.read(lambda tx: tx.execute(sa.select(rows.c.kind, rows.c.host)).all())
        assert {row.host for row in before} == {None}
        assert work.DELIVERY not in {row.kind for row in before}  # what was on its way is set aside
        assert [story.done for story in stories] == [[]] * len(stories)

        await store.write(lambda tx: restore_hold.release(tx, now(), drop=False))
        await until(lambda: len(stories[0].done) == 2)
        await until(lambda: all(story.done for story in stories if story.kind != work.DELIVERY))
        assert sorted(stories[0].done) == ["new", "old"]
        assert not engine.held
    finally:
        await engine.stop(grace=10)
        store.close()
