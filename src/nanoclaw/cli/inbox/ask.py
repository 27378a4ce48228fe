"""`nanoclaw ask`: any program of this machine asks people, and goes on as they decide.

The answer is printed, and the exit code is the place of what was chosen: the first option is 0, the second 1.
"""

import asyncio
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import typer

from nanoclaw.admission.until import read_span
from nanoclaw.cli.inbox.checks import check, in_flags
from nanoclaw.cli.inbox.words import NOT_ASKED
from nanoclaw.cli.report import print_json, settings_of
from nanoclaw.cli.words import LANGUAGE
from nanoclaw.client.inbox import ask_and_wait, in_minutes, plain_options
from nanoclaw.console.inbox_keeper import QuestionRow
from nanoclaw.domain.errors import HostSaid, NanoClawError, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.questions import QuestionKind, Status
from nanoclaw.flows.human.words import clock
from nanoclaw.texts import say, tell

_IN_TIME, _TAKEN_BACK = 124, 130  # as `timeout` and shells have it
_LONGEST_CONTEXT = 1_000_000  # bytes; the host takes less, and says how much


@dataclass(frozen=True, kw_only=True, slots=True)
class Typed:
    """As it stands on the command line."""

    question: str
    options: str | None = None
    timeout: str | None = None
    default: str | None = None
    risk: str | None = None
    context: str | None = None
    context_file: Path | None = None
    takes_words: bool = False
    group: str | None = None
    asked_id: str | None = None

    def wanted(self) -> dict[str, Any]:
        """In the words of the host."""
        context = self.context if self.context_file is None else _read(self.context_file)
        said = {
            "question": self.question,
            "kind": QuestionKind.INPUT.word if self.takes_words else None,
            "options": None if self.options is None else plain_options(self.options.split(",")),
            "timeout_minutes": None if self.timeout is None else _minutes(self.timeout),
            "default_action": self.default,
            "risk": self.risk,
            "context": context,
            "group": self.group,
            "id": self.asked_id,
        }
        return {name: value for name, value in said.items() if value is not None}


def _minutes(written: str) -> int:
    """None at all for less than one: whoever writes five seconds would wait for a minute."""
    span = read_span(written)
    return in_minutes(span) if span >= timedelta(minutes=1) else 0


def ask(home: Path, typed: Typed, *, as_json: bool) -> None:
    """The answer is all that is printed; what is said about it goes to the error stream."""
    language = LANGUAGE
    try:
        locale = settings_of(home).locale
        language = locale.speaks
        wanted = typed.wanted()
        check(wanted, language)
        question = asyncio.run(_ask(home, wanted, locale))
    except NanoClawError as error:
        typer.echo(tell(language, in_flags(error) if isinstance(error, HostSaid) else error), err=True)
        raise typer.Exit(NOT_ASKED) from error
    except (KeyboardInterrupt, asyncio.CancelledError) as gone:
        typer.echo(say(language, "ask-cancelled"), err=True)
        raise typer.Exit(_TAKEN_BACK) from gone
    if as_json:
        print_json(asdict(question))
    elif question.chosen is not None:
        typer.echo(question.chosen)
    if remark := _remark(question, language):
        typer.echo(remark, err=True)
    raise typer.Exit(exit_code(question))


def exit_code(question: QuestionRow) -> int:
    match Status(question.status):
        case Status.CANCELLED:
            return _TAKEN_BACK
        case Status.TIMEOUT if question.chosen is None:
            return _IN_TIME
        case Status.COMPLETED | Status.TIMEOUT:
            places = {option.id: place for place, option in enumerate(question.options)}
            return places.get(question.chosen or "", 0)
        case _:
            return NOT_ASKED


async def _ask(home: Path, wanted: Mapping[str, Any], locale: Locale) -> QuestionRow:
    """Whoever is told to stop takes the question back, as with Ctrl-C."""

    def tell_of(question: QuestionRow) -> None:
        if sys.stderr.isatty() and question.status == Status.PENDING:
            time = clock(question.deadline_at, locale, asked_at=question.created_at)
            typer.echo(say(locale.speaks, "ask-waiting", id=question.short, time=time), err=True)

    waiting = asyncio.create_task(ask_and_wait(home, wanted, tell_of))
    with suppress(RuntimeError):  # only the main thread of a program hears signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, waiting.cancel)
    return await waiting


def _remark(question: QuestionRow, language: str) -> str | None:
    match Status(question.status):
        case Status.TIMEOUT if question.chosen is not None:
            return say(language, "ask-default", label=question.chosen_label)
        case Status.TIMEOUT:
            return say(language, "ask-timeout")
        case Status.CANCELLED:
            return say(language, "ask-cancelled")
        case Status.FAILED:
            return say(language, "ask-failed", said=question.error or "")
        case _:
            return None


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_LONGEST_CONTEXT).decode("utf-8", "replace")
    except OSError as error:
        raise Refused("context-unread", file=str(file), said=error.strerror or "") from error
