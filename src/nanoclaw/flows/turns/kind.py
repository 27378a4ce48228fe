"""What can be different about the turns of a lane: handed to `conversation` by whoever starts turns of its own."""

from typing import Protocol

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.turns import RuntimeEvent, TurnRequest
from nanoclaw.durable.turns import Turn


class Follower(Protocol):
    """Hears what happens in one turn, beside those who watch its chat."""

    async def hear(self, event: RuntimeEvent) -> None: ...

    async def close(self) -> None: ...


class TurnKind:
    """Turns as they come from people. Other kinds override what is different."""

    def notes(self, turn: Turn) -> list[str]:
        """For the agent, above what was said."""
        return []

    async def check(self, turn: Turn, request: TurnRequest) -> TurnRequest | None:
        """Before the agent is asked: what it is asked in the end; None when it is not needed. Raises Refused."""
        return request

    def follower(self, turn: Turn) -> Follower | None:
        return None

    def held(self, turn: Turn, outage: NanoClawError, language: str) -> str | None:
        """What is said while the model cannot be had, if not the usual."""
        return None
