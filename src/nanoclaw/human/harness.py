"""For programs that carry out interactive sessions: which are pending, and how they ended."""

from collections.abc import Sequence
from pathlib import Path

from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.console.question_shapes import Question
from nanoclaw.domain.questions import PROGRAM, Status
from nanoclaw.host.settings import home_folder
from nanoclaw.human.errors import in_own_words

Interaction = Question
"""A question or session in its current state."""


async def list_pending(execution: str = PROGRAM, *, home: Path | None = None) -> Sequence[Interaction]:
    """What programs wait for; `*` means everyone. Sessions have the type `interactive_session` and a `config`."""
    with in_own_words():
        async with _inbox(home) as inbox:
            return await inbox.open(execution)


async def complete(
    id: str,  # noqa: A002
    *,
    response: object = None,
    transcript: str | None = None,
    duration_ms: int | None = None,
    home: Path | None = None,
) -> Interaction:
    """The person has decided: `response` is any JSON. The transcript is kept only if the session asked for it."""
    with in_own_words():
        async with _inbox(home) as inbox:
            return await inbox.conclude(
                id,
                status=Status.COMPLETED,
                response=response,
                transcript=transcript,
                duration_ms=duration_ms,
            )


async def fail(id: str, error: str, *, home: Path | None = None) -> Interaction:  # noqa: A002
    """Mark it as failed; the program that waits for it is told why."""
    with in_own_words():
        async with _inbox(home) as inbox:
            return await inbox.conclude(id, status=Status.FAILED, error=error)


async def cancel(id: str, *, home: Path | None = None) -> Interaction:  # noqa: A002
    """Take back a session, or any question: nothing is decided."""
    with in_own_words():
        async with _inbox(home) as inbox:
            return await inbox.change(id, "cancel")


def _inbox(home: Path | None) -> InboxClient:
    return InboxClient(Address.of(home or home_folder()))
