"""When silence means that an agent is stuck, and when it does not. Short patience is a blink, long is for ever."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

import pytest

from nanoclaw.domain.errors import TurnStuck
from nanoclaw.domain.turns import ModelAsked, Paused, RuntimeEvent, TextDelta, ToolEnded, ToolStarted
from nanoclaw.runtimes.silence_watch import Patience, watched

pytestmark = pytest.mark.capability("L1", "L2")

BLINK, LONG = 0.05, 60.0
SILENCE = 4 * BLINK


class Agent:
    """Says each event; a number is a silence of so many seconds."""

    def __init__(self, *script: RuntimeEvent | float) -> None:
        self.closed = False
        self._script = script

    async def run(self) -> AsyncGenerator[RuntimeEvent, None]:
        try:
            for part in self._script:
                if isinstance(part, float):
                    await asyncio.sleep(part)
                else:
                    yield part
        finally:
            self.closed = True


def tool(name: str, timeout: float | None = None) -> ToolStarted:
    return ToolStarted(id=name, name="bash", shown=name, timeout=timeout)


def ended(name: str) -> ToolEnded:
    return ToolEnded(id=name, ok=True, text="")


WORD = TextDelta(text="word")
EAGER, CALM = Patience(first=BLINK, later=LONG), Patience(first=LONG, later=BLINK)


@pytest.mark.parametrize(
    ("script", "patience"),
    [
        pytest.param([WORD, SILENCE, WORD], EAGER, id="the first word was there, and now it thinks"),
        pytest.param([ModelAsked(model="m"), SILENCE], EAGER, id="the model was asked and thinks"),
        pytest.param([Paused(on=True), SILENCE, Paused(on=False), WORD], EAGER, id="it starts up"),
        pytest.param(
            [WORD, tool("a", LONG), SILENCE, ended("a")], CALM, id="a tool that announced its silence"
        ),
        pytest.param(
            [tool("a", LONG), tool("b"), ended("b"), SILENCE, ended("a")],
            CALM,
            id="one of two tools announced its silence and still runs",
        ),
    ],
)
async def test_silence_that_is_explained_lives(
    script: list[RuntimeEvent | float], patience: Patience
) -> None:
    heard = [event async for event in watched(Agent(*script).run(), patience)]
    assert heard == [part for part in script if not isinstance(part, float | Paused)]


@pytest.mark.parametrize(
    ("script", "patience"),
    [
        pytest.param([LONG], EAGER, id="no sign of life at all"),
        pytest.param([Paused(on=True), Paused(on=False), LONG], EAGER, id="it started and then said nothing"),
        pytest.param([WORD, LONG], CALM, id="silent in the middle"),
        pytest.param([tool("a"), LONG], CALM, id="a tool that announced nothing"),
        pytest.param([tool("a", BLINK), LONG], CALM, id="a tool that is silent for longer than it announced"),
        pytest.param([tool("a", LONG), ended("a"), LONG], CALM, id="the announcement ended with its tool"),
        pytest.param(
            [Paused(on=True), LONG], Patience(first=BLINK, later=BLINK), id="a start-up without an end"
        ),
    ],
)
async def test_silence_that_nothing_explains_is_the_end(
    script: list[RuntimeEvent | float], patience: Patience
) -> None:
    agent = Agent(*script)
    with pytest.raises(TurnStuck, match="agent-silent"):
        async for _ in watched(agent.run(), patience):
            pass
    assert agent.closed  # with its box


async def test_what_goes_wrong_in_the_agent_is_not_taken_for_silence() -> None:
    async def broken() -> AsyncGenerator[RuntimeEvent, None]:
        yield WORD
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        async for _ in watched(broken(), EAGER):
            pass


async def test_whoever_stops_listening_ends_the_agent() -> None:
    agent = Agent(WORD, LONG)
    events = watched(agent.run(), EAGER)
    assert await anext(events) == WORD
    await events.aclose()
    assert agent.closed


async def test_an_agent_that_goes_on_after_its_silence_was_ended_is_watched_still() -> None:
    """A library between may catch what ends it."""

    async def goes_on() -> AsyncGenerator[RuntimeEvent, None]:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(LONG)
        yield WORD
        await asyncio.sleep(LONG)

    async def listen() -> None:
        async for event in watched(goes_on(), Patience(first=BLINK, later=BLINK)):
            assert event == WORD

    listening = asyncio.create_task(listen())
    ended, _ = await asyncio.wait([listening], timeout=LONG / 2)
    assert ended
    assert isinstance(listening.exception(), TurnStuck)
