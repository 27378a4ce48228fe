"""Turns of people whose message asks for a pipeline, as a small model of their group found: a card answers."""

from dataclasses import dataclass
from functools import partial

from nanoclaw.domain.pipelines import PipelineWish
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import Turn
from nanoclaw.flows.pipelines.triggers import Triggers
from nanoclaw.flows.turns.kind import TurnKind


@dataclass(frozen=True, kw_only=True, slots=True)
class WishedTurns(TurnKind):
    store: Store
    triggers: Triggers

    async def check(self, turn: Turn, request: TurnRequest) -> TurnRequest | None:
        """None if a card answers, so that no agent is needed. If it cannot start, the agent talks about it."""
        message = turn.messages[-1] if turn.messages else None
        if turn.wish is None or message is None or turn.is_of_stranger:
            return request
        if not (message.addressed and message.in_own_words) or message.files:
            return request
        is_asked = await self.store.write(partial(self._ask, turn=turn, wish=turn.wish))
        return None if is_asked else request

    def _ask(self, tx: Tx, turn: Turn, wish: PipelineWish) -> bool:
        return self.triggers.wished(
            tx,
            wish,
            person=turn.speaker,
            group=turn.session.group,
            message=turn.messages[-1],
            language=turn.woken_by.speaks,
            origin=f"wish {turn.id}",
        )
