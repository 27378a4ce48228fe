"""The host is killed while it extracts: what was said is kept once, and an answer that was stored is paid for once."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.crash.program import Program
from tests.crash.test_memory import WORDS, is_whole, kept, locked
from tests.staging import until

from nanoclaw.durable.knowledge_tables import memory_changes
from nanoclaw.durable.tables import costs, work
from nanoclaw.durable.work import EXTRACTION
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, started_host
from nanoclaw.testing.model_parts import Asked, Say
from nanoclaw.testing.model_server import ModelServer

pytestmark = pytest.mark.capability("G2", "L3")


@dataclass
class Extractor:
    """The small model finds the same every time; the test may do something when it is asked."""

    asked: int = 0
    at: Callable[[], None] = field(default=lambda: None)

    def __call__(self, asked: Asked) -> Say:
        assert WORDS in asked.text
        self.asked += 1
        self.at()
        return Say(json.dumps([{"turn": 1, "kind": "fact", "text": WORDS}]))


@dataclass
class Stage:
    program: Program
    server: ModelServer
    far_end: FarEnd

    async def say(self) -> None:
        await self.far_end.say("chat", f"Listen: {WORDS}")
        await self.far_end.wait_for("chat", 1)


@asynccontextmanager
async def started(home: Path, database_url: str, extractor: Extractor) -> AsyncIterator[Stage]:
    """A program for which a conversation rests at once."""
    async with ModelServer(extractor) as server, FarEnd() as far_end:
        program = Program(
            home,
            DATABASE_URL=database_url,
            SCRIPTED_URL=far_end.url,
            AGENTS_RUNTIME="demo",
            DEMO_PACE="0",
            MEMORY_REST_MINUTES="0.001",
        )
        program.environment |= {"ANTHROPIC_API_KEY": server.key, "ANTHROPIC_BASE_URL": server.url}
        await program.start()
        yield Stage(program, server, far_end)


async def is_kept_once(home: Path, database_url: str, server: ModelServer) -> None:
    """After the next start."""
    async with started_host(
        home,
        database={"url": database_url},
        anthropic={"api_key": server.key, "base_url": server.url},
        agents={"runtime": "demo"},
        memory={"rest_minutes": 0.001},
    ) as host:
        await until(lambda: kept(home) == 1)
        await until(lambda: is_extracted(host))
        await is_whole(host, home, facts=1)
        assert kept(home) == 1


async def is_extracted(host: Host) -> bool:
    left = sa.select(work.c.key).where(work.c.kind == EXTRACTION)
    return await host.store.read(lambda tx: tx.execute(left).first() is None)


def paid(database_url: str) -> int:
    return _count(database_url, sa.select(costs.c.id).where(costs.c.runtime == "extraction"))


def found(database_url: str) -> int:
    changes = sa.select(memory_changes.c.id).where(memory_changes.c.origin.startswith("extraction "))
    return _count(database_url, changes)


def _count(database_url: str, rows: sa.Select[tuple[str]]) -> int:
    engine = sa.create_engine(database_url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        return len(connection.execute(rows).all())


@contextmanager
def no_rows(database_url: str) -> Iterator[None]:
    """Nothing that is asked of memory can be stored meanwhile."""
    engine = sa.create_engine(database_url, poolclass=sa.NullPool)
    is_sqlite = engine.dialect.name == "sqlite"
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "BEGIN IMMEDIATE" if is_sqlite else "LOCK TABLE memory_changes IN EXCLUSIVE MODE"
        )
        yield


async def test_killed_between_the_answer_of_the_model_and_the_rows(home: Path, database_url: str) -> None:
    extractor = Extractor()
    async with started(home, database_url, extractor) as stage:
        with ExitStack() as stack:
            extractor.at = lambda: stack.enter_context(no_rows(database_url))
            await stage.say()
            await until(lambda: extractor.asked == 1)
            async with stage.program.client() as client:
                for _ in range(20):  # by then it has read the answer, too, and waits for the database
                    (await client.get("/api/rooms")).raise_for_status()
            await stage.program.die()
        assert found(database_url) == 0
        extractor.at = lambda: None
        await is_kept_once(home, database_url, stage.server)
        assert extractor.asked == 2


async def test_killed_between_the_rows_and_the_file_it_is_not_asked_and_paid_again(
    home: Path, database_url: str
) -> None:
    extractor = Extractor()
    async with started(home, database_url, extractor) as stage:
        with locked(home):
            await stage.say()
            await until(lambda: found(database_url) == paid(database_url) == 1)
            await stage.program.die()
            assert kept(home) == 0
        await is_kept_once(home, database_url, stage.server)
        assert (extractor.asked, paid(database_url)) == (1, 1)
