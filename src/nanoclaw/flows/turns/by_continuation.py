"""Turns of one lane that different stories wait for: each kind is treated as its own story wants it."""

from collections.abc import Mapping

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable.turns import Turn
from nanoclaw.flows.turns.kind import Follower, TurnKind


class TurnsByContinuation(TurnKind):
    def __init__(self, kinds: Mapping[str, TurnKind]) -> None:
        """By the kind of work that waits for the turn; the others are like those of people."""
        self._kinds, self._usual = kinds, TurnKind()

    async def begin(self, turn: Turn) -> None:
        await self._of(turn).begin(turn)

    def notes(self, turn: Turn) -> list[str]:
        return self._of(turn).notes(turn)

    async def check(self, turn: Turn, request: TurnRequest) -> TurnRequest | None:
        return await self._of(turn).check(turn, request)

    def follower(self, turn: Turn) -> Follower | None:
        return self._of(turn).follower(turn)

    def held(self, turn: Turn, outage: NanoClawError, language: str) -> str | None:
        return self._of(turn).held(turn, outage, language)

    def _of(self, turn: Turn) -> TurnKind:
        return self._kinds.get(turn.then.kind, self._usual) if turn.then else self._usual
