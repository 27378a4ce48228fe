"""Is the agent still alive? Judged by its progress, not by how long it runs."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from nanoclaw.domain.errors import TurnStuck
from nanoclaw.domain.silence import Silence
from nanoclaw.domain.turns import Paused, RuntimeEvent, ToolEnded, ToolStarted


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How many seconds of silence are normal."""

    first: float = 60.0  # from the claim to the first sign of life
    later: float = 1800.0  # from one sign to the next: a model may think long, a command may compile


async def watched(
    events: AsyncGenerator[RuntimeEvent, None], patience: Patience, silence: Silence | None = None
) -> AsyncGenerator[RuntimeEvent, None]:
    """The same events. Raises TurnStuck if the silence is longer than what runs now can explain, or the
    hindrance of `silence`, if there is one. A tool in flight explains as much silence as it announced. A
    start-up explains itself: a long history takes long to read, and killing it would only start it again.
    Code that asks people excuses the silence with `silence`. The wait is cancelled when the patience ends,
    and that ends the runtime with its box.
    """
    silence = silence or Silence()
    started, paused = False, False
    in_flight: dict[str, float] = {}
    async with aclosing(events):
        while True:
            usual = patience.later if started or paused else patience.first
            longest = max([usual, *in_flight.values()])
            try:
                with silence.limited(longest):
                    event = await anext(events, None)
            except TimeoutError:
                if silence.hindrance is not None:
                    raise silence.hindrance from None
                raise TurnStuck("agent-silent", seconds=round(longest)) from None
            if event is None:
                return
            match event:
                case Paused(on=paused):
                    continue
                case ToolStarted(id=tool, timeout=timeout):
                    in_flight[tool] = timeout or 0.0
                case ToolEnded(id=tool):
                    in_flight.pop(tool, None)
                case _:
                    pass
            started = True
            yield event
