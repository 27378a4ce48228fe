"""How commands open the workspace's database: whether or not a host is running."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from nanoclaw.console import owner
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.locale import Locale
from nanoclaw.durable import schema
from nanoclaw.durable.heartbeat import follow_database
from nanoclaw.durable.store import Store, Tx
from nanoclaw.host import workspace
from nanoclaw.host.backup import marker
from nanoclaw.host.database import damage_named, open_database, remember
from nanoclaw.host.settings import FILE, Settings, read_settings

T = TypeVar("T")


def settings_of(home: Path) -> Settings:
    marker.refuse_unfinished(home)
    if not (home / FILE).exists():
        raise BadWorkspace("no-workspace", home=str(home))
    workspace.check(home)
    return read_settings(home)


def owner_locale(tx: Tx, settings: Settings) -> Locale:
    return owner.owner_locale(tx, settings.locale)


def with_store(home: Path, settings: Settings, story: Callable[[Tx], T], *, write: bool = False) -> T:
    with opened_store(home, settings) as store:
        return asyncio.run(_once(store, story, write=write))


@contextmanager
def opened_store(home: Path, settings: Settings) -> Iterator[Store]:
    """SQLite lets a second process read and write beside the host; its lock keeps them apart."""
    with damage_named(home, settings):
        store = open_database(home, settings)
        try:
            schema.expect(store)
            remember(home, settings)
            if store.shared:
                with schema.told(store.engine.connect) as tx:
                    follow_database(tx)
            yield store
        finally:
            store.close()


async def _once(store: Store, story: Callable[[Tx], T], *, write: bool) -> T:
    return await (store.write(story) if write else store.read(story))
