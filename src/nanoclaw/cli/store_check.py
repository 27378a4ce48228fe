"""What the doctor checks about the database: is it sound, does it keep its data, does work wait, what time is it?"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from nanoclaw.cli.findings import CheckResult, Found
from nanoclaw.client.connection import Address, Client
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import StoreDamaged
from nanoclaw.domain.ids import new_id
from nanoclaw.durable import due_work, notes, schema, work
from nanoclaw.durable.clock import machine_now, now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.host import host_lock
from nanoclaw.host.database import damage_named, find_database, open_database
from nanoclaw.host.settings import Settings

T = TypeVar("T")

_CLOCKS_APART = 2.0  # seconds
_TOO_OLD = 120.0  # seconds


def check_database(home: Path, settings: Settings, found: Found) -> Iterator[CheckResult]:
    with damage_named(home, settings):
        if not find_database(home, settings):
            yield found("database", "database-new", ok=None)
            return
        with _opened(home, settings) as store:
            failed = _look_through(store)
            yield found("database", "database", url=settings.shown_database_url(home))
            is_kept = asyncio.run(_write_and_read(store))
            yield found("written", "database-written" if is_kept else "database-lost", ok=is_kept)
            if store.shared:
                yield found("hosts", "hosts-shared", ok=None)
                yield _compare_clocks(store, found)
            yield found("failed", "failed", ok=failed == 0, count=failed)
            if host_lock.find(home):
                yield from _check_queues(store, settings, found)


def ask_host(home: Path, found: Found) -> Iterator[CheckResult]:
    """What the running host says about its database: it may have lost it, and someone may have put another there."""
    if host_lock.find(home) and (trouble := trouble_of_host(home)):
        yield found("trouble", "trouble", ok=False, reason=trouble)


def trouble_of_host(home: Path) -> str | None:
    async def ask() -> str | None:
        async with Client(Address.of(home)) as client:
            told: str | None = (await client.ask("GET", "/api/health"))["trouble"]
            return told

    return asyncio.run(ask())


async def _read(store: Store, story: Callable[[Tx], T]) -> T:
    return await store.read(story)


@contextmanager
def _opened(home: Path, settings: Settings) -> Iterator[Store]:
    store = open_database(home, settings)
    try:
        schema.expect(store)
        yield store
    finally:
        store.close()


def _look_through(store: Store) -> int:
    """Check every page of a file; counts the parcels that were given up."""
    with schema.told(store.engine.connect) as tx:
        if not store.shared and (said := tx.exec_driver_sql("PRAGMA integrity_check").scalar()) != "ok":
            raise StoreDamaged("store-damaged", said=said)
        return len(outbox.given_up(tx))


async def _write_and_read(store: Store) -> bool:
    """Detect a full disk or a read-only file, which reading alone would not show."""
    key = f"doctor {new_id('x')}"
    await store.write(lambda tx: notes.write(tx, key, key, now()))
    kept = await store.read(lambda tx: notes.read(tx, key))
    await store.write(lambda tx: notes.forget(tx, key))
    return bool(kept == key)


def _compare_clocks(store: Store, found: Found) -> CheckResult:
    """Hosts of one database use its clock; people see this machine's, and both should agree."""
    with schema.told(store.engine.connect) as tx:
        before = machine_now()
        theirs: datetime = tx.exec_driver_sql("SELECT clock_timestamp()").scalar_one()
        apart = abs((theirs - (before + (machine_now() - before) / 2)).total_seconds())
    if apart > _CLOCKS_APART:
        return found("clocks", "clocks-apart", ok=False, seconds=round(apart))
    return found("clocks", "clocks")


def _check_queues(store: Store, settings: Settings, found: Found) -> Iterator[CheckResult]:
    def look(tx: Tx) -> tuple[list[due_work.Queue], int]:
        return due_work.due(tx, now()), work.count_hosts(tx, now())

    waiting, hosts = asyncio.run(_read(store, look))
    places = {
        work.TURN: settings.turns.concurrent,
        work.RUN: settings.tasks.concurrent,
        work.BACKGROUND: settings.tasks.background,
        work.STEP: settings.pipelines.concurrent,
    }
    old = [queue for queue in waiting if (now() - queue.since).total_seconds() > _TOO_OLD]
    for queue in old:
        minutes = int((now() - queue.since).total_seconds() // 60)
        if queue.kind in places and queue.running >= places[queue.kind] * hosts:
            yield found("queue", "queue-busy", ok=None, kind=queue.kind, minutes=minutes)
        else:
            yield found("queue", "queue-old", ok=False, kind=queue.kind, count=queue.count, minutes=minutes)
    if not old:
        yield found("queues", "queues")
