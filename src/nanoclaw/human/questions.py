"""A program asks people, and continues when they have decided."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from nanoclaw.client.inbox import ask_and_wait, in_minutes, plain_options
from nanoclaw.console.question_shapes import Question
from nanoclaw.domain.question_requests import LAYOUTS
from nanoclaw.domain.questions import Status
from nanoclaw.host.settings import home_folder
from nanoclaw.human.errors import Cancelled, HumanError, NobodyAnswered, in_own_words
from nanoclaw.times.until import read_span

Span = timedelta | float | str
"""How long: a timedelta, minutes, or `30m`, `2h`, `1d`. Seconds are rounded up to minutes."""

_YES, _NO = (option.id for option in LAYOUTS["approve_reject"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One choice."""

    id: str
    label: str
    description: str = ""


class Answer(str):
    """What was chosen, by id, or what was written; with who decided, how and how fast.

    `timed_out` means that nobody decided, and this is the default.
    """

    question_id: str
    label: str
    by: str | None  # the person's handle
    status: str
    timed_out: bool
    user_input: str | None
    seconds: float

    @classmethod
    def of(cls, row: Question) -> "Answer":
        answer = cls(row.chosen or "")
        answer.question_id = row.id
        answer.label = row.chosen_label
        answer.by = row.decided_by
        answer.status = row.status
        answer.timed_out = row.status == Status.TIMEOUT
        answer.user_input = row.user_input
        answer.seconds = row.seconds or 0.0
        return answer


async def ask(
    question: str,
    *,
    options: Sequence[str | Option] = (),
    timeout: Span | None = None,  # noqa: ASYNC109 - of the question, which the host ends
    default: str | None = None,
    risk: str | None = None,
    context: str | Mapping[str, Any] | None = None,
    kind: str | None = None,
    layout: str | None = None,
    deciders: Sequence[str] = (),
    votes: int | None = None,
    group: str | None = None,
    skill: str | None = None,
    id: str | None = None,  # noqa: A002 - as the command line and the HTTP API call it
    home: Path | None = None,
) -> Answer:
    """Ask, and wait for the answer, even across a restart of the host. If cancelled, the question is taken back.

    Raises NobodyAnswered, Cancelled, NotAsked and NoHost, which are all HumanErrors.
    """
    with in_own_words():
        wanted = {
            "question": question,
            "options": _options(options),
            "timeout_minutes": None if timeout is None else in_minutes(as_span(timeout)),
            "default_action": default,
            "risk": risk,
            "context": dict(context) if isinstance(context, Mapping) else context,
            "kind": kind,
            "layout": layout,
            "deciders": list(deciders) or None,
            "votes": votes,
            "group": group,
            "skill": skill,
            "id": id,
        }
        said = {name: value for name, value in wanted.items() if value is not None}
        row = await ask_and_wait(home or home_folder(), said)
    match Status(row.status):
        case Status.COMPLETED:
            return Answer.of(row)
        case Status.TIMEOUT if row.chosen is not None:
            return Answer.of(row)
        case Status.TIMEOUT:
            raise NobodyAnswered("nobody-answered", question=row.question)
        case Status.CANCELLED:
            raise Cancelled("question-cancelled", question=row.question)
        case _:
            raise HumanError("session-failed", said=row.error or "")


async def confirm(
    question: str,
    *,
    timeout: Span | None = None,  # noqa: ASYNC109 - of the question, which the host ends
    default: bool | None = None,
    risk: str | None = None,
    context: str | Mapping[str, Any] | None = None,
    group: str | None = None,
    home: Path | None = None,
) -> bool:
    """Yes or no. If nobody answers it is no, unless `default` says otherwise."""
    chosen = await ask(
        question,
        layout="approve_reject",
        timeout=timeout,
        default=None if default is None else _YES if default else _NO,
        risk=risk,
        context=context,
        group=group,
        home=home,
    )
    return chosen == _YES


def as_span(given: Span) -> timedelta:
    if isinstance(given, timedelta):
        return given
    return read_span(given) if isinstance(given, str) else timedelta(minutes=given)


def _options(given: Sequence[str | Option]) -> list[dict[str, Any]] | None:
    made = []
    for each in given:
        if isinstance(each, str):
            made += plain_options([each])
        else:
            made.append({name: value for name, value in asdict(each).items() if value})
    return made or None
