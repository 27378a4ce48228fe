"""The host is killed while it writes memory: nothing is lost or doubled, and files and index agree (SPEC G2, G6)."""

import fcntl
import json
import os
import resource
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.crash.program import Program, first_room, say
from tests.staging import until

from nanoclaw.durable import notes
from nanoclaw.durable.knowledge_tables import memory_changes, memory_entries
from nanoclaw.durable.store import open_store
from nanoclaw.durable.tables import hosts, work
from nanoclaw.durable.work import MEMORY
from nanoclaw.host.host import Host
from nanoclaw.memory.verification import verify
from nanoclaw.testing import FarEnd, made_workspace, started_host

pytestmark = pytest.mark.capability("G2", "L3")

WORDS = "The anchor weighs 31 tons"


def folder(home: Path) -> Path:
    return home / "companies" / "demo" / "memory"


def lines(home: Path) -> list[dict[str, Any]]:
    found = [path.read_text().splitlines() for path in folder(home).rglob("facts*.jsonl")]
    return [json.loads(line) for each in found for line in each if line.strip()]


def kept(home: Path) -> int:
    return sum(WORDS in str(line.get("fact")) for line in lines(home))


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Nobody can write the files of memory meanwhile."""
    opened = os.open(folder(home), os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


@contextmanager
def no_index(database_url: str) -> Iterator[None]:
    """Nothing can be written to the index meanwhile."""
    engine = sa.create_engine(database_url)
    connection = engine.connect()
    is_sqlite = engine.dialect.name == "sqlite"
    connection.exec_driver_sql(
        "BEGIN IMMEDIATE" if is_sqlite else "LOCK TABLE memory_entries IN ACCESS EXCLUSIVE MODE"
    )
    try:
        yield
    finally:
        connection.rollback()
        connection.close()
        engine.dispose()


async def is_whole(host: Host, home: Path, *, facts: int) -> None:
    """Each line once, the index has what the files have, and nothing waits."""

    def read(tx: sa.Connection) -> tuple[int, list[str], int]:
        mine = tx.execute(sa.select(memory_entries.c.id).where(memory_entries.c.text.contains(WORDS))).all()
        ids = list(
            tx.execute(sa.select(memory_entries.c.id).where(memory_entries.c.kind != "context")).scalars()
        )
        open_ = tx.execute(sa.select(memory_changes.c.id).where(memory_changes.c.state == "waiting")).all()
        return len(mine), ids, len(open_)

    async def settled() -> bool:
        mine, _, waiting = await host.store.read(read)
        return mine >= facts and not waiting

    await until(settled)
    mine, ids, _ = await host.store.read(read)
    assert sum(id_.startswith("fact_") for id_ in ids) == len(
        {each["id"] for each in lines(home) if "fact" in each}
    )
    assert kept(home) == len({each["id"] for each in lines(home) if WORDS in str(each.get("fact"))})
    assert mine >= facts
    assert verify(home, "demo", [each for each in ids if not each.startswith("act_")]) == []


def rows(database_url: str, wanted: sa.Select[Any]) -> list[str]:
    engine = sa.create_engine(database_url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        return list(connection.execute(wanted).scalars())


@asynccontextmanager
async def started_again(home: Path, database_url: str) -> AsyncIterator[Host]:
    async with started_host(home, database={"url": database_url}) as host:
        yield host


async def test_killed_between_the_answer_of_the_tool_and_the_file(home: Path, database_url: str) -> None:
    async with FarEnd() as far_end:
        program = Program(home, DATABASE_URL=database_url, SCRIPTED_URL=far_end.url, DEMO_PACE="0")
        await program.start()
        with locked(home):
            await far_end.say("chat", f"Remember that {WORDS}")
            await far_end.wait_for("chat", 1)
            assert kept(home) == 0
            await program.die()
    async with started_again(home, database_url) as host:
        await until(lambda: kept(home) == 1)
        await is_whole(host, home, facts=1)


async def test_killed_between_the_file_and_the_index(home: Path, database_url: str) -> None:
    async with FarEnd() as far_end:
        program = Program(home, DATABASE_URL=database_url, SCRIPTED_URL=far_end.url, DEMO_PACE="0")
        await program.start()
        with locked(home):
            await far_end.say("chat", f"Remember that {WORDS}")
            await far_end.wait_for("chat", 1)
            blocked = no_index(database_url)
            blocked.__enter__()
        try:
            await until(lambda: kept(home) == 1)
            await program.die()
        finally:
            blocked.__exit__(None, None, None)
    async with started_again(home, database_url) as host:
        await is_whole(host, home, facts=1)
        assert kept(home) == 1


async def test_what_a_full_disk_did_not_take_is_written_in_order_when_there_is_room(
    home: Path, postgres_url: str
) -> None:
    said = [f"{WORDS}, says witness {number}" for number in range(5)]
    put_back = sa.select(work.c.key).where(work.c.kind == MEMORY, work.c.error == "memory-files")
    file = folder(home) / "facts.jsonl"
    file.touch()
    async with FarEnd() as far_end:
        program = Program(home, DATABASE_URL=postgres_url, SCRIPTED_URL=far_end.url, DEMO_PACE="0")
        async with program.running():
            before = file.read_bytes()
            with locked(home):
                for number, each in enumerate(said[:4], 1):
                    await far_end.say("chat", f"Remember that {each}")
                    await far_end.wait_for("chat", number)
                # In the middle of a line there is no room left.
                resource.prlimit(program.pid, resource.RLIMIT_FSIZE, (len(before) + 100, -1))
            await until(lambda: rows(postgres_url, put_back))
            assert file.read_bytes() == before
            resource.prlimit(program.pid, resource.RLIMIT_FSIZE, (-1, -1))
            await far_end.say("chat", f"Remember that {said[4]}")
            await until(lambda: kept(home) == 5)
            assert [line["fact"] for line in lines(home) if WORDS in str(line.get("fact"))] == said
    async with started_again(home, postgres_url) as host:
        await is_whole(host, home, facts=5)


@pytest.mark.capability("O4")
async def test_a_host_that_slept_with_a_change_in_its_hand_does_not_write_it_when_it_wakes(
    home: Path, tmp_path: Path, postgres_url: str
) -> None:
    """The other host has written it meanwhile, and a person took it back."""
    settings = {"DATABASE_URL": postgres_url, "DATABASE_HOST_LIFETIME": "5", "DEMO_PACE": "0"}
    writing = sa.select(work.c.key).where(work.c.kind == MEMORY, work.c.host.is_not(None))
    words, notes = "Nobody parks at the gate", folder(home) / "CLAUDE.md"
    indexed = sa.select(memory_entries.c.id).where(memory_entries.c.text == words)
    other = made_workspace(tmp_path / "other")
    shutil.rmtree(other / "companies")
    (other / "companies").symlink_to(home / "companies")
    first, second = Program(home, **settings), Program(other, **settings)
    async with first.running():
        async with first.client() as client:
            room = await first_room(client)
            await until(lambda: not rows(postgres_url, writing))
            with locked(home):
                await say(client, room, f"/remember decision: {words}", "1")
                await until(lambda: rows(postgres_url, writing))
                first.stand_still()
        async with second.running(), second.client() as client:
            # Longer than usual: a host that stops in the midst of a transaction holds its locks until the database
            # ends it, and whoever met them tries again half a minute later.
            await until(lambda: rows(postgres_url, indexed), patience=150)
            assert words in notes.read_text()
            await say(client, room, f"/forget {rows(postgres_url, indexed)[0]}", "2")
            await until(lambda: words not in notes.read_text())
            first.go_on()
            await until(lambda: len(rows(postgres_url, sa.select(hosts.c.id))) == 2)
            async with first.client() as woken:
                await say(woken, room, f"/remember {WORDS}", "3")
                await until(lambda: kept(home) == 1)
            assert words not in notes.read_text()
            assert (folder(home) / "decisions.jsonl").read_text().count(words) == 1
    async with started_again(home, postgres_url) as host:
        await is_whole(host, home, facts=1)


@pytest.mark.capability("G6")
async def test_killed_during_compaction(home: Path, database_url: str) -> None:
    start, many = datetime(2025, 1, 1, tzinfo=UTC), 1400
    with (folder(home) / "facts.jsonl").open("a") as file:
        for number in range(many):
            at = (start + timedelta(minutes=number)).isoformat()
            fact = {
                "id": f"fact_20250101_{number:08d}",
                "timestamp": at,
                "fact": f"{WORDS}, says witness {number}",
            }
            file.write(json.dumps(fact) + "\n")
    store = open_store(database_url)
    long_ago = {"at": start.isoformat()}
    await store.write(lambda tx: notes.write(tx, "memory maintained demo", long_ago, start))
    store.close()
    program = Program(home, DATABASE_URL=database_url)
    await program.start()
    archive = folder(home) / "archive"
    await until(lambda: archive.is_dir() and any(archive.iterdir()))
    await program.die()
    async with started_again(home, database_url) as host:
        await until(lambda: len((folder(home) / "facts.jsonl").read_text().splitlines()) <= 1100)
        await is_whole(host, home, facts=many)
    assert len({line["id"] for line in lines(home) if "fact" in line and WORDS in line["fact"]}) == many
