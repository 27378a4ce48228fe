"""Every connection that a box asked for, on its way into the database."""

import asyncio

import structlog

from nanoclaw.domain.errors import StoreDamaged, StoreUnavailable
from nanoclaw.domain.money import Spender
from nanoclaw.durable import connections
from nanoclaw.durable.connections import Connection
from nanoclaw.durable.store import Store

log = structlog.get_logger("proxy")


class ConnectionLog:
    """Writes connections into the database, without making anyone wait for it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._writing: set[asyncio.Task[None]] = set()

    def __call__(self, spender: Spender, connection: Connection) -> None:
        task = asyncio.create_task(self._write(spender, connection))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def close(self) -> None:
        while self._writing:
            await asyncio.wait(self._writing)

    async def _write(self, spender: Spender, connection: Connection) -> None:
        try:
            await self._store.write(lambda tx: connections.note(tx, spender, connection))
        except (StoreUnavailable, StoreDamaged) as error:
            log.exception("connection not written", host=connection.host, reason=str(error))
