"""Assembles what people need to work with an agent in a live session."""

from dataclasses import dataclass
from typing import Self

from nanoclaw.context.preparation import Preparation
from nanoclaw.flows.live.opening import LiveSessions
from nanoclaw.flows.live.turns import LiveTurns
from nanoclaw.flows.turns.kind import TurnKind
from nanoclaw.host.base import Base


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveParts:
    sessions: LiveSessions
    turns: LiveTurns

    @classmethod
    def of(cls, base: Base, preparation: Preparation, others: TurnKind) -> Self:
        """`others` are the turns of people elsewhere."""
        return cls(
            sessions=LiveSessions(store=base.store, preparation=preparation),
            turns=LiveTurns(store=base.store, others=others),
        )
