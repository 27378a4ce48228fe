"""Loads slow runtimes late."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.ports import Runtime
from nanoclaw.domain.turns import FollowUps, Paused, RuntimeEvent, TurnRequest


class LateRuntime:
    """A runtime whose packages take a second to load. They are loaded in the background, or at first use."""

    def __init__(self, make: Callable[[], Runtime]) -> None:
        self._make = make
        self._made: asyncio.Task[Runtime] | None = None

    def load(self) -> "asyncio.Task[Runtime]":
        # What was missing may be there now.
        if self._made is None or (self._made.done() and self._made.exception()):
            self._made = asyncio.create_task(asyncio.to_thread(self._make))
        return self._made

    async def run(self, request: TurnRequest, follow_ups: FollowUps) -> AsyncGenerator[RuntimeEvent, None]:
        loading = self.load()
        if not loading.done():
            yield Paused(on=True)
            await asyncio.shield(loading)
            yield Paused(on=False)
        runtime = await loading
        async with aclosing(runtime.run(request, follow_ups)) as events:
            async for event in events:
                yield event

    async def warm(self, request: TurnRequest) -> None:
        await (await asyncio.shield(self.load())).warm(request)

    async def close(self) -> None:
        if self._made is not None:
            with suppress(NanoClawError):
                await (await self._made).close()
