"""The hosts of a trial: one database, a workspace each, started together and stopped for good."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.chaos import clock
from tests.chaos.databases import Database, Sqlite
from tests.chaos.hosts import ChaosHost
from tests.chaos.ledger import Ledger

from nanoclaw.testing import ModelServer, made_workspace

_START = 120.0  # seconds


@asynccontextmanager
async def hosts_of(
    folder: Path,
    count: int,
    database: Database,
    lifetime: float,
    *,
    vendor: ModelServer | None = None,
    prepare: Callable[[Path], object] = lambda _home: None,
    **settings: str,
) -> AsyncIterator[list[ChaosHost]]:
    """`prepare` gets each workspace before its host starts. Without a vendor the demo agent answers."""
    hosts = []
    for each in range(1, count + 1):
        home = made_workspace(folder / f"host{each}")
        prepare(home)
        known = {
            "DATABASE_URL": "" if isinstance(database, Sqlite) else database.url,
            "DATABASE_HOST_LIFETIME": str(lifetime),
            "AGENTS_RUNTIME": "native" if vendor else "demo",
            "LIMITS_PERSON_PER_MINUTE": "0",
            "LIMITS_GROUP_PER_MINUTE": "0",
        }
        host = ChaosHost(home.name, home, Ledger(), clock.own(folder, home.name), **(known | settings))
        if vendor:
            host.environment |= {"ANTHROPIC_API_KEY": vendor.key, "ANTHROPIC_BASE_URL": vendor.url}
        hosts.append(host)
    for host in hosts:
        host.begin()
    try:
        async with asyncio.timeout(_START):
            for host in hosts:
                await host.up.wait()
        yield hosts
    finally:
        await asyncio.gather(*(host.stop_for_good() for host in hosts))
