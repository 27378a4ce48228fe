"""An agent for the tests about tasks: by the words it is told it uses tools, fails, or takes its time."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Any

from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.steps import ModelPiece, Returned, Step, Told, ToolCall, ToolOffer
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.testing import ScriptedModel

Act = str | ToolCall


class Held:
    """The agent has begun with something, and waits with it until the test lets it go on."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.begun = asyncio.Event()
        self._free = asyncio.Event()

    async def wait(self) -> None:
        self.begun.set()
        await self._free.wait()

    async def until_begun(self) -> None:
        async with asyncio.timeout(60):
            await self.begun.wait()

    def go_on(self) -> None:
        self._free.set()


class TaskAgent(ScriptedModel):
    """By the words it is told: it uses tools and says something, fails, or takes its time. Else it says what it heard.

    `heard` is the order in which it was told things, each by its last message.
    """

    def __init__(self) -> None:
        super().__init__(self._pieces)
        self.heard: list[str] = []
        self._acts: dict[str, Sequence[Act]] = {}
        self._faults: dict[str, int] = {}
        self._held: dict[str, Held] = {}
        self._calls = itertools.count()

    def does(self, words: str, *acts: Act) -> None:
        """One act after each tool that it used; after the last tool, if nothing is left, it says what it was told."""
        self._acts[words] = acts

    def fails(self, words: str, *, times: int = 1_000_000) -> None:
        self._faults[words] = times

    def holds(self, words: str, *, after: int = 0) -> Held:
        """Before it says or does anything, or after so many tools."""
        held = self._held[words] = Held(after)
        return held

    def call(self, tool: str, **arguments: Any) -> ToolCall:
        return ToolCall(id=f"call-{next(self._calls)}", name=tool, arguments=arguments)

    def forget(self) -> None:
        """For the next test."""
        for held in self._held.values():
            held.go_on()
        for plan in (self._acts, self._faults, self._held):
            plan.clear()
        self.heard.clear()

    async def stream(
        self, request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        heard = _last_message(request, steps)
        self.heard.append(heard)
        for words, held in list(self._held.items()):
            if words in heard and held.after == len(_returned(steps)):
                await held.wait()
        async with aclosing(super().stream(request, steps, tools)) as pieces:
            async for piece in pieces:
                yield piece

    def _pieces(self, request: TurnRequest) -> Iterator[str | ModelPiece]:
        steps = self.steps[-1]
        heard = _last_message(request, steps)
        for words, left in self._faults.items():
            if words in heard and left:
                self._faults[words] = left - 1
                raise ModelFailed("unexpected", said=f"boom about {words}")
        returned = _returned(steps)
        acts = next((acts for words, acts in reversed(self._acts.items()) if words in heard), ())
        if len(returned) < len(acts):
            yield acts[len(returned)]
        else:
            yield f"told: {returned[-1].text}" if returned else f"heard {heard}"


def _returned(steps: Sequence[Step]) -> list[Returned]:
    return [step for step in steps if isinstance(step, Returned)]


def _last_message(request: TurnRequest, steps: Sequence[Step]) -> str:
    told = [step.prompt for step in steps if isinstance(step, Told)]
    last = (told[-1] if told else request.prompt).rpartition("<message ")[2]
    return last.partition(">")[2].partition("</message>")[0]
