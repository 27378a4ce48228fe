"""How the turns of a lane can differ: passed to `conversation` by stories that start their own turns."""

from typing import Protocol

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.turns import RuntimeEvent, TurnRequest
from nanoclaw.durable.store import Tx
from nanoclaw.durable.turns import Turn


class Follower(Protocol):
    """Is told what happens in one turn, beside those who watch its chat."""

    async def hear(self, event: RuntimeEvent) -> None: ...

    async def close(self) -> None: ...


class TurnKind:
    """Turns from people. Other kinds override what differs."""

    def is_special(self, turn: Turn) -> bool:
        """Whether `begin` does something, so that nothing can be prepared before it."""
        return False

    async def begin(self, turn: Turn) -> None:
        """Runs before anything is prepared: chooses the skill and the model. Raises Refused."""

    def notes(self, turn: Turn) -> list[str]:
        """Notes for the agent, above the messages."""
        return []

    async def check(self, turn: Turn, request: TurnRequest) -> TurnRequest | None:
        """The final request before the agent is asked; None if the agent is not needed. Raises Refused."""
        return request

    def follower(self, turn: Turn) -> Follower | None:
        return None

    def answered(self, tx: Tx, turn: Turn, said: str) -> None:
        """Runs in the transaction that ends the turn."""

    def held(self, turn: Turn, outage: NanoClawError, language: str) -> str | None:
        """The notice during an outage, if it differs from the usual one."""
        return None
