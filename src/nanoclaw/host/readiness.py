"""Someone opens a room and may soon write: slow preparation is done before the question comes."""

import asyncio
from collections.abc import Mapping

import structlog

from nanoclaw.context.preparation import Preparation
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.ids import ChatId, TurnId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.ports import Runtime
from nanoclaw.domain.turns import Session
from nanoclaw.durable import sessions, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx

log = structlog.get_logger("readiness")


class Readiness:
    def __init__(self, store: Store, preparation: Preparation, runtimes: Mapping[str, Runtime]) -> None:
        self._store = store
        self._preparation = preparation
        self._runtimes = runtimes
        self._preparing: set[asyncio.Task[None]] = set()

    def expect(self, chat_id: str) -> None:
        """Prepare in the background; nobody waits for it."""
        task = asyncio.create_task(self.make_ready(chat_id))
        self._preparing.add(task)  # otherwise nothing holds it, and it may be garbage-collected midway
        task.add_done_callback(self._preparing.discard)

    async def close(self) -> None:
        """End what was begun before what it uses is closed."""
        for task in self._preparing:
            task.cancel()
        await asyncio.gather(*self._preparing, return_exceptions=True)

    async def make_ready(self, chat_id: str) -> None:
        def read(tx: Tx) -> list[Session]:
            groups = wirings.groups_of(tx, chat_id)
            return [sessions.find_or_open(tx, group, ChatId(chat_id), None, now()) for group in groups]

        try:
            for session in await self._store.write(read):
                prepared = await self._preparation.prepare(
                    turn_id=TurnId(""),
                    session=session,
                    messages=(),
                    history=(),
                    locale=Locale(),
                    command=None,
                    again=False,
                    may_ask_first=True,
                )
                if runtime := self._runtimes.get(prepared.runtime):
                    await runtime.warm(prepared.request)
        except NanoClawError as error:  # the turn itself will tell the people concerned
            log.info("nothing made ready", chat=chat_id, reason=error)
