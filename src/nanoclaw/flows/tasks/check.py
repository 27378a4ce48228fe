"""The check of a task: a command in its box, without a model, that says whether the agent is needed."""

import asyncio
from dataclasses import dataclass

from nanoclaw.domain import bounds
from nanoclaw.domain.errors import ModelFailed, Refused
from nanoclaw.domain.ports import SessionBoxes
from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.flows.human.permissions import CHECK, REJECT, Permissions

_MOST_PRINTED = 10_000
_NOT_NEEDED = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskChecks:
    session_boxes: SessionBoxes
    permissions: Permissions
    patience: float  # seconds

    async def allowed(self, request: TurnRequest, command: str) -> bool:
        """Whether a person has allowed the command, if a rule requires it; this applies to commands a person
        wrote, too. What was allowed when the task was created counts. False while it may still be allowed.
        Raises Refused.
        """
        refusal = await self.permissions.ask_for_check(request, command)
        if refusal and refusal.unseen:
            raise Refused("check-unseen", path=refusal.unseen[:200])
        if refusal and not refusal.waits:
            raise Refused("check-forbidden")
        return refusal is None

    async def needed(self, request: TurnRequest, command: str) -> str | None:
        """What the check printed if the agent is needed (exit code 0); None if it is not (1).

        Anything else is an error of the check. So is exit code 1 with output on stderr: a crashing program exits with 1
        too, and a task with a broken check must not fall silent.
        """
        box = await self.session_boxes.start(request, ["/bin/sh", "-c", command])
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


def is_about_check(question: Question) -> bool:
    """Whether it asked for permission to run a check, before the agent was told anything."""
    return bool(question.tool and question.tool.get(CHECK))


def was_allowed(question: Question) -> bool:
    return question.status is Status.COMPLETED and question.chosen != REJECT


async def _taken(stream: asyncio.StreamReader) -> str:
    kept, total = await bounds.taken(stream, _MOST_PRINTED)
    left_out = f"\n[... {total - len(kept):,} bytes left out by the host]" if total > len(kept) else ""
    return kept.decode("utf-8", "replace").strip() + left_out
