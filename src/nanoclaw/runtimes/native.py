"""The native runtime: the agent's loop runs in the host, around any model; only its tools run in a box."""

import json
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import assert_never

from nanoclaw.domain import bounds
from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.ports import Model, Toolbox
from nanoclaw.domain.steps import ModelPiece, Returned, Spoke, Step, Told, ToolCall, VendorState
from nanoclaw.domain.turns import (
    AnswerCut,
    FollowUps,
    ModelAsked,
    RuntimeEvent,
    Spent,
    TextDelta,
    TextWritten,
    TookUp,
    ToolEnded,
    ToolStarted,
    TurnRequest,
)
from nanoclaw.runtimes.tool_lines import shown_call, timeout_of

MOST_STEPS = 25
_CUT = "Your answer was too long and ended in the middle of this call, so nothing was done. Do it in smaller parts."

_TOO_MANY = f"Not done: at most {bounds.MOST_CALLS} tool calls in one answer."


class NativeRuntime:
    """Keeps nothing between turns: an idle session costs nothing."""

    def __init__(self, model: Model, toolbox: Toolbox | None = None, *, most_steps: int = MOST_STEPS) -> None:
        self._model = model
        self._toolbox = toolbox
        self._most_steps = most_steps

    async def run(self, request: TurnRequest, follow_ups: FollowUps) -> AsyncGenerator[RuntimeEvent, None]:
        tools = await self._toolbox.offered(request) if self._toolbox else ()
        closing = {tool.name for tool in tools if tool.ends_turn}
        steps: list[Step] = []
        most = request.most_steps or self._most_steps
        for _ in range(most):
            said: list[str] = []
            calls: list[ToolCall] = []
            kept = None
            async with aclosing(_bounded(self._model.stream(request, steps, tools))) as pieces:
                async for piece in pieces:
                    match piece:
                        case TextDelta(text=text):
                            said.append(text)
                            yield piece
                        case TextWritten(text=text):
                            said[:] = [text]
                            yield piece
                        case ModelAsked() | Spent() | AnswerCut():
                            yield piece
                        case ToolCall():
                            calls.append(piece)
                        case VendorState(value=kept):
                            pass
                        case _:
                            assert_never(piece)
            steps.append(Spoke(text="".join(said), calls=tuple(calls), kept=kept))
            if not calls:
                return  # what came meanwhile gets its own answer
            async with aclosing(self._use_all(request, calls, steps)) as events:
                async for event in events:
                    yield event
            if any(_is_done(step, closing) for step in steps[-len(calls) :]):
                return
            for follow_up in follow_ups.take():
                steps.append(Told(prompt=follow_up.prompt))
                yield TookUp(messages=follow_up.messages)
        raise ModelFailed("too-many-steps", steps=most)

    async def warm(self, request: TurnRequest) -> None:
        """Nothing to prepare."""

    async def close(self) -> None:
        await self._model.close()

    async def _use_all(
        self, request: TurnRequest, calls: Sequence[ToolCall], steps: list[Step]
    ) -> AsyncGenerator[RuntimeEvent, None]:
        for call in calls[: bounds.MOST_CALLS]:
            async with aclosing(self._use(request, call, steps)) as events:
                async for event in events:
                    yield event
        steps += [Returned(call=call, ok=False, text=_TOO_MANY) for call in calls[bounds.MOST_CALLS :]]

    async def _use(
        self, request: TurnRequest, call: ToolCall, steps: list[Step]
    ) -> AsyncGenerator[RuntimeEvent, None]:
        yield ToolStarted(
            id=call.id, name=call.name, shown=shown_call(call.arguments), timeout=timeout_of(call.arguments)
        )
        if len(json.dumps(dict(call.arguments), default=str)) > bounds.MOST_ARGUMENTS:
            ended = ToolEnded(id=call.id, ok=False, text="The arguments are longer than a tool takes.")
            steps.append(Returned(call=replace(call, arguments={}), ok=False, text=ended.text))
            yield ended
            return
        if call.is_cut:
            ended = ToolEnded(id=call.id, ok=False, text=_CUT)
            steps.append(Returned(call=call, ok=False, text=ended.text))
            yield ended
            return
        if self._toolbox is None:
            ended = ToolEnded(id=call.id, ok=False, text="There are no tools here.")
            steps.append(Returned(call=call, ok=False, text=ended.text))
            yield ended
            return
        async with aclosing(self._toolbox.use(request, call)) as events:
            async for event in events:
                if isinstance(event, ToolEnded):
                    steps.append(Returned(call=call, ok=event.ok, text=event.text))
                yield event


def _is_done(step: Step, closing: Collection[str]) -> bool:
    return isinstance(step, Returned) and step.ok and step.call.name in closing


async def _bounded(pieces: AsyncGenerator[ModelPiece, None]) -> AsyncGenerator[ModelPiece, None]:
    """Stop a model that does not stop: no more would be kept, and the person is told so."""
    written = 0
    async with aclosing(pieces):
        async for piece in pieces:
            yield piece
            if isinstance(piece, TextDelta | TextWritten):
                written += len(piece.text)
                if written > 2 * bounds.MOST_ANSWER:  # a broken stream is written again
                    return
