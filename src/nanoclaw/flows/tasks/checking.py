"""The check of a task: a command in its box, without a model, that says whether the agent is needed at all."""

import asyncio
from dataclasses import dataclass

from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.ports import Workshop
from nanoclaw.domain.turns import TurnRequest

_MOST_PRINTED = 10_000
_NOT_NEEDED = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Checks:
    workshop: Workshop
    patience: float  # seconds

    async def needed(self, request: TurnRequest, command: str) -> str | None:
        """What it printed, when the agent is needed (exit code 0); None when it is not (1).

        Anything else is a fault of the check, and so is 1 with a complaint: a program that falls over ends with it
        too, and a task whose check is broken must not fall silent.
        """
        box = await self.workshop.start(request, ["/bin/sh", "-c", command])
        try:
            async with asyncio.timeout(self.patience):
                box.stdin.close()
                printed, complained = await asyncio.gather(_taken(box.stdout), _taken(box.stderr))
                code = await box.wait()
        except TimeoutError:
            raise ModelFailed("check-slow", seconds=round(self.patience)) from None
        finally:
            await box.kill()
        if code == _NOT_NEEDED and not complained:
            return None
        if code:
            raise ModelFailed("check-failed", code=code, said=(complained or printed)[-300:] or "-")
        return printed


async def _taken(stream: asyncio.StreamReader) -> str:
    """The first of what it printed; the rest is taken too, else it would wait for ever to be able to print it."""
    kept = b""
    while piece := await stream.read(_MOST_PRINTED):
        kept += piece[: _MOST_PRINTED - len(kept)]
    return kept.decode("utf-8", "replace").strip()
