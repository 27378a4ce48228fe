"""A turn whose model call waits for money set aside for others: people see why it is quiet, its silence is
excused, and others use its place meanwhile.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from nanoclaw.delivery.live import Live, ToolSeen
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.money import Spender
from nanoclaw.domain.turns import Session
from nanoclaw.durable import sessions
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.flows.human.waits import Waits
from nanoclaw.texts import say

_SHOWN = "budget"  # shown as a tool of a running turn


@dataclass(frozen=True, kw_only=True, slots=True)
class MoneyWaits:
    store: Store
    engine: Engine
    live: Live
    waits: Waits
    language: Callable[[str], str]  # of a group

    @asynccontextmanager
    async def around(self, spender: Spender) -> AsyncIterator[None]:
        """Wraps the time a call of this spender waits. It gets a place again before the call leaves."""

        def begin(tx: Tx) -> Session | None:
            note(tx, spender.turn_id or None, Event.MONEY_WAITS, now())
            return sessions.known(tx, SessionId(spender.session_id))

        session = await self.store.write(begin)
        if session is None:  # a call of the host itself
            yield
            return
        self._show(session, spender, "running")
        try:
            with self.waits.excused(session.id):
                async with self.engine.place_lent(session.lane, session.id):
                    yield
        finally:
            self._show(session, spender, "done")

    def _show(self, session: Session, spender: Spender, state: str) -> None:
        said = say(self.language(spender.group), "money-waits")
        seen = ToolSeen(spender.turn_id, _SHOWN, _SHOWN, said, state, "")
        self.live.tell(session.chat_id, seen)
