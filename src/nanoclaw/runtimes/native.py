"""The native runtime: the agent's loop runs in the host, around any model that can stream text."""

from collections.abc import AsyncIterator

from nanoclaw.domain.ports import Model
from nanoclaw.domain.turns import RuntimeEvent, TextDelta, TurnRequest


class NativeRuntime:
    def __init__(self, model: Model) -> None:
        self._model = model

    async def run(self, request: TurnRequest) -> AsyncIterator[RuntimeEvent]:
        async for piece in self._model.stream(request):
            yield TextDelta(text=piece)
