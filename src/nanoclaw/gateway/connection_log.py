"""Records every connection that a box asked for in the database."""

import asyncio
from collections import Counter

import structlog

from nanoclaw.domain.errors import StoreDamaged, StoreUnavailable
from nanoclaw.domain.money import Spender
from nanoclaw.durable import connections
from nanoclaw.durable.connections import Connection, ConnectionVerdict
from nanoclaw.durable.store import Store

log = structlog.get_logger("proxy")

_OFTEN_ENOUGH = 20  # refusals of one kind for one host, in one turn
_MOST_TARGETS = 1000


class ConnectionLog:
    """Writes connections to the database without making anyone wait."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._writing: set[asyncio.Task[None]] = set()
        self._turn = ""
        self._refused: Counter[tuple[str, int, str]] = Counter()  # in that turn

    def __call__(self, spender: Spender, connection: Connection) -> None:
        if self._is_tiresome(spender, connection):
            return
        task = asyncio.create_task(self._write(spender, connection))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    def _is_tiresome(self, spender: Spender, connection: Connection) -> bool:
        """Whether it repeats itself: a loop of refused connections must not fill the disk."""
        if connection.verdict is ConnectionVerdict.ALLOWED:
            return False
        if spender.turn_id != self._turn:
            self._turn = spender.turn_id
            self._refused.clear()
        target = (connection.host, connection.port, connection.verdict)
        self._refused[target] += 1
        return self._refused[target] > _OFTEN_ENOUGH or len(self._refused) > _MOST_TARGETS

    async def close(self) -> None:
        while self._writing:
            await asyncio.wait(self._writing)

    async def _write(self, spender: Spender, connection: Connection) -> None:
        try:
            await self._store.write(lambda tx: connections.note(tx, spender, connection))
        except (StoreUnavailable, StoreDamaged) as error:
            log.exception("connection not written", host=connection.host, reason=error)
