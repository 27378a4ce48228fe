"""Sends each call of the native runtime to the model its name means: Claude directly, others through pydantic-ai."""

from collections.abc import AsyncGenerator, Callable, Sequence

from nanoclaw.domain.ports import Model
from nanoclaw.domain.steps import ModelPiece, Step, ToolOffer
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.gateway.model_calls import ANTHROPIC
from nanoclaw.gateway.prices import split


class ByVendor:
    """The other vendors are loaded at the first call for one: it takes seconds, and most hosts never need it."""

    def __init__(self, claude: Model, others: Callable[[], Model]) -> None:
        self._claude = claude
        self._make_others = others
        self._others: Model | None = None

    def stream(
        self, request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        if split(request.model)[0] in ("", ANTHROPIC):
            return self._claude.stream(request, steps, tools)
        if self._others is None:
            self._others = self._make_others()
        return self._others.stream(request, steps, tools)

    async def close(self) -> None:
        await self._claude.close()
        if self._others is not None:
            await self._others.close()
