"""The host is killed around a handoff: its receiver works once, and its sender is woken once, on both databases."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.crash.program import Program
from tests.loaded import LOADED

from nanoclaw.domain.handoffs import HandoffState
from nanoclaw.durable.pipeline_tables import handoffs
from nanoclaw.durable.store import Store, open_store
from nanoclaw.durable.tables import messages, turns
from nanoclaw.flows.handoff import Handoffs
from nanoclaw.testing import FarEnd, started_host

pytestmark = pytest.mark.capability("C1", "C3", "A15")

ENDLESS = "10"  # seconds between two words


@dataclass(frozen=True, kw_only=True)
class Stage:
    home: Path
    url: str
    far_end: FarEnd
    store: Store

    def program(self, *, pace: str = "0") -> Program:
        return Program(
            self.home,
            DATABASE_URL=self.url,
            SCRIPTED_URL=self.far_end.url,
            DEMO_PACE=pace,
            DATABASE_HOST_LIFETIME="2",
        )

    async def rows(self, table: sa.Table) -> list[Any]:
        return await self.store.read(
            lambda tx: list(tx.execute(sa.select(table).order_by(*table.primary_key)))
        )

    async def is_at(self, state: str) -> bool:
        found = await self.rows(handoffs)
        return bool(found) and found[0].state == state

    async def until(self, met: Any) -> None:
        async with asyncio.timeout(60):
            while not await met():
                await asyncio.sleep(0.002)

    async def finish(self) -> None:
        """Run a host in this process until the sender has told what came back."""
        database, scripted = {"url": self.url, "host_lifetime": 2}, {"url": self.far_end.url}
        async with started_host(self.home, database=database, scripted=scripted):
            async with asyncio.timeout(60):
                while not any("It came back to me" in text for text in self.far_end.said_to("chat")):
                    await asyncio.sleep(0.01)
            await self.far_end.say("chat", "thanks")  # an answer proves that no other is on its way
            before = len(self.far_end.said_to("chat"))
            await self.far_end.wait_for("chat", before + 1)

    async def check(self) -> None:
        [handoff] = await self.rows(handoffs)
        assert handoff.state == HandoffState.DONE
        received = [turn for turn in await self.rows(turns) if turn.session_id == handoff.session_id]
        assert [turn.state for turn in received] == ["answered"]
        brought = [
            each for each in await self.rows(messages) if each.external_id.startswith("returned handoff")
        ]
        assert len(brought) == 1
        assert sum("It came back to me" in text for text in self.far_end.said_to("chat")) == 1


@pytest.fixture
async def stage(home: Path, database_url: str) -> AsyncIterator[Stage]:
    async with FarEnd() as far_end:
        found = Stage(home=home, url=database_url, far_end=far_end, store=open_store(database_url))
        yield found
        found.store.close()


async def test_killed_while_the_receiver_works_it_goes_on_in_the_same_turn(stage: Stage) -> None:
    program = stage.program(pace=ENDLESS)
    await program.start()
    await stage.far_end.say("chat", "ask editor: an otter")

    async def works() -> bool:
        found = await stage.rows(handoffs)
        begun = {turn.session_id for turn in await stage.rows(turns)}
        return bool(found) and found[0].session_id in begun

    await stage.until(works)
    await program.die()
    assert await stage.is_at("running")
    await stage.finish()
    await stage.check()


async def test_killed_between_the_receivers_end_and_the_senders_waking(stage: Stage) -> None:
    """The one that is killed never takes up that the receiver has ended."""
    given = (stage.home, stage.url, stage.far_end.url)
    program = LOADED.Process(target=never_end, args=given, daemon=True)
    program.start()
    await stage.far_end.say("chat", "ask editor: an otter")

    async def ended() -> bool:
        found = await stage.rows(handoffs)
        done = {turn.session_id for turn in await stage.rows(turns) if turn.finished_at}
        return bool(found) and found[0].session_id in done

    await stage.until(ended)
    program.kill()
    await asyncio.to_thread(program.join, 60)
    assert await stage.is_at("running")
    await stage.finish()
    await stage.check()


async def _never_end(home: Path, url: str, far_end: str) -> None:
    async def hang(*_: object) -> None:
        await asyncio.Event().wait()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Handoffs, "run", hang)
        database, scripted = {"url": url, "host_lifetime": 2}, {"url": far_end}
        async with started_host(home, database=database, scripted=scripted):
            await asyncio.Event().wait()


def never_end(home: Path, url: str, far_end: str) -> None:
    asyncio.run(_never_end(home, url, far_end))
