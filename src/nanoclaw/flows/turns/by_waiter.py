"""Turns of one lane that differ by what waits for them: a step of a pipeline, a handoff."""

from collections.abc import Mapping
from dataclasses import dataclass

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable.turns import Turn
from nanoclaw.flows.turns.kind import Follower, TurnKind

_USUAL = TurnKind()


@dataclass(frozen=True, slots=True)
class TurnsByWaiter(TurnKind):
    """Chooses by the kind of work that waits."""

    kinds: Mapping[str, TurnKind]

    def _of(self, turn: Turn) -> TurnKind:
        return self.kinds.get(turn.then.kind, _USUAL) if turn.then else _USUAL

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
