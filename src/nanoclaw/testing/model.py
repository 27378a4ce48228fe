"""A model that says what a test tells it to, and waits where a test wants it to wait."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence

from nanoclaw.domain.steps import ModelPiece, Step, ToolOffer
from nanoclaw.domain.turns import TextDelta, TurnRequest


class ScriptedModel:
    """Yields the pieces of `script(request)`. `hold()` stops it before its next piece until `go_on()`."""

    def __init__(self, script: Callable[[TurnRequest], Iterable[str | ModelPiece]] | str = "ok") -> None:
        self.script = script
        self._open = asyncio.Event()
        self._open.set()
        self.asked: list[TurnRequest] = []
        self.steps: list[tuple[Step, ...]] = []  # what had happened in the turn at each call
        self.at_once = 0
        self.most_at_once = 0
        self._called = asyncio.Condition()

    def hold(self) -> None:
        self._open.clear()

    def go_on(self) -> None:
        self._open.set()

    async def wait_for_calls(self, count: int, *, patience: float = 60) -> None:
        """Wait until the model has been called that often."""
        async with asyncio.timeout(patience), self._called:
            await self._called.wait_for(lambda: len(self.asked) >= count)

    async def close(self) -> None:
        """Nothing to close."""

    async def stream(
        self, request: TurnRequest, steps: Sequence[Step], _tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        self.asked.append(request)
        self.steps.append(tuple(steps))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        async with self._called:
            self._called.notify_all()
        try:
            pieces = [self.script] if isinstance(self.script, str) else self.script(request)
            for piece in pieces:
                await self._open.wait()
                yield TextDelta(text=piece) if isinstance(piece, str) else piece
        finally:
            self.at_once -= 1
