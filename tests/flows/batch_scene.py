"""The stage of the tests about batches: a whole host, and the vendor's batches played beside it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa
from tests.telegram_scene import eventually

from nanoclaw.channels.rooms import WEB
from nanoclaw.domain.batches import Batch, BatchCounts, BatchItem, BatchPart, BatchStatus
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Person
from nanoclaw.domain.questions import Question
from nanoclaw.durable import batch_parts, batches, memberships, people, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs
from nanoclaw.flows.batches.wanted import WantedBatch
from nanoclaw.host.host import Host
from nanoclaw.testing import ModelServer, started_host

MODEL = "claude-haiku-4-5"
QUICK = {"poll_seconds": 0.05, "longest_poll_seconds": 0.2, "lost_seconds": 0.3}


@dataclass(frozen=True, kw_only=True)
class BatchScene:
    host: Host
    server: ModelServer

    @property
    def vendor(self) -> Any:
        return self.server.batches

    async def start(self, topics: int | tuple[str, ...] | None = 3, **wanted: Any) -> Batch:
        """Without a card, in the first room of the page; its topics are given, or found for `count` texts."""
        asked = await self.wanted(topics, **wanted)
        owner = await self.owner()
        return await self.host.store.write(
            lambda tx: self.host.batch_chat.changes.start(tx, asked, owner, None, now())
        )

    async def wanted(self, topics: int | tuple[str, ...] | None = 3, **more: Any) -> WantedBatch:
        chat = await self.host.store.read(lambda tx: people.chat_at(tx, WEB, "main"))
        assert chat
        named = tuple(f"topic {n}" for n in range(1, topics + 1)) if isinstance(topics, int) else topics
        given: dict[str, Any] = {
            "count": len(named or ()),
            "topics": named,
            "subject": "posts about otters",
            "skill": "",
            "channel": "",
            "model": MODEL,
            "max_tokens": 200,
            "group": "main",
            "company": "demo",
            "chat_id": chat.id,
            "language": "en",
            "origin": new_id("start"),
        }
        return WantedBatch(**(given | more))

    async def owner(self) -> Person:
        found = await self.host.store.read(lambda tx: people.person_named(tx, LOCAL_OWNER))
        assert found
        return found

    async def actor(self) -> Actor:
        one = await self.owner()
        rights = await self.host.store.read(lambda tx: memberships.rights_of(tx, one))
        return Actor.of(one, rights, via="web", language="en")

    async def cancel(self, batch: Batch) -> None:
        by = await self.actor()
        await self.host.store.write(lambda tx: self.host.batch_chat.changes.cancel(tx, batch.id, by, now()))

    async def resubmit(self, batch: Batch, *numbers: int) -> int:
        by = await self.actor()
        return await self.host.store.write(
            lambda tx: self.host.batch_chat.changes.resubmit(tx, batch.id, by, now(), numbers or None)
        )

    async def batch(self, batch: Batch) -> Batch:
        found = await self.host.store.read(lambda tx: batches.get(tx, batch.id))
        assert found
        return found

    async def items(self, batch: Batch) -> list[BatchItem]:
        return await self.host.store.read(lambda tx: batches.items(tx, batch.id, limit=100_000))

    async def states(self, batch: Batch) -> list[str]:
        return [item.state.value for item in await self.items(batch)]

    async def parts(self, batch: Batch) -> list[BatchPart]:
        return await self.host.store.read(lambda tx: batch_parts.of_batch(tx, batch.id))

    async def counts(self, batch: Batch) -> BatchCounts:
        return await self.host.store.read(lambda tx: batches.counts(tx, batch.id))

    async def until(self, batch: Batch, *statuses: BatchStatus) -> Batch:
        """Until it rests with a person or is over, or has one of these statuses."""
        wanted = statuses or (BatchStatus.READY, *(each for each in BatchStatus if each.is_over))

        async def look() -> Batch | None:
            found = await self.batch(batch)
            return found if found.status in wanted else None

        return await eventually(look)

    async def until_it(self, batch: Batch, is_so: Callable[[Batch], bool]) -> Batch:
        async def look() -> Batch | None:
            found = await self.batch(batch)
            return found if is_so(found) else None

        return await eventually(look)

    async def costs(self, batch: Batch | None = None) -> list[Any]:
        """The rows of the ledger, oldest first."""
        these = sa.true() if batch is None else costs.c.batch_id == batch.id
        rows = sa.select(costs).where(these).order_by(costs.c.id)
        return await self.host.store.read(lambda tx: list(tx.execute(rows)))

    async def question(self, batch: Batch, about: str) -> Question:
        def look(tx: Tx) -> Question | None:
            mine = (
                each for each in questions.list_open(tx) if each.asked_id.startswith(f"{batch.id} {about}")
            )
            return next(mine, None)

        return await eventually(lambda: self.host.store.read(look))

    async def decide(self, question: Question, option: str) -> None:
        """As the owner, on the page."""
        headers = {"Authorization": f"Bearer {self.host.token}"}
        async with httpx.AsyncClient(base_url=self.host.url, headers=headers, timeout=60) as page:
            answer = await page.post(f"/api/questions/{question.id}/decide", json={"option": option})
            assert answer.is_success, answer.text


@asynccontextmanager
async def batch_scene(
    home: Path, server: ModelServer, url: str | None = None, **settings: Any
) -> AsyncIterator[BatchScene]:
    database = {"database": {"url": url, "host_lifetime": 2}} if url else {}
    given: dict[str, Any] = {
        "anthropic": {"base_url": server.url, "api_key": server.key},
        "agents": {"runtime": "demo", "allowed_models": ["claude-*"]},
        "batches": QUICK,
        **database,
    }
    async with started_host(home, **(given | settings)) as host:
        yield BatchScene(host=host, server=server)
