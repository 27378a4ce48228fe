"""`nanoclaw ask`: any program on this machine asks people, and continues as they decide.

The answer is printed, and the exit code is the index of the choice: the first option is 0, the second 1.
"""

import asyncio
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from nanoclaw.cli.database import settings_of
from nanoclaw.cli.inbox.checks import check, in_flags
from nanoclaw.cli.options import LANGUAGE, AsJson, guarded_home, help_of
from nanoclaw.cli.output import as_dict, print_json
from nanoclaw.client.inbox import ask_and_wait, in_minutes, plain_options
from nanoclaw.console.question_shapes import Question
from nanoclaw.domain.errors import HostSaid, NanoClawError, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.questions import QuestionKind, Status
from nanoclaw.flows.human.card_text import clock
from nanoclaw.texts import say, tell
from nanoclaw.times.until import read_span

app = typer.Typer()

NOT_ASKED = 125
"""The exit code if there is no answer because nothing was asked: no choice has it."""
_IN_TIME, _TAKEN_BACK = 124, 130  # as `timeout` and shells do
_LONGEST_CONTEXT = 1_000_000  # bytes; the host takes less, and says how much
_Misuse: Any = typer.BadParameter.__mro__[1]  # UsageError, which typer does not export


class _Asks(TyperCommand):
    """A typo on the command line must not look like a choice, as it would with the usual exit code 2."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except _Misuse as error:
            error.exit_code = NOT_ASKED
            raise


def _minutes(written: str) -> int:
    """0 for less than a minute: otherwise five seconds would become a minute of waiting."""
    span = read_span(written)
    return in_minutes(span) if span >= timedelta(minutes=1) else 0


@app.command("ask", help=help_of("ask"), cls=_Asks)
def ask(
    question: Annotated[str, typer.Argument(help=help_of("ask-question"))],
    options: Annotated[str | None, typer.Option(help=help_of("ask-options"))] = None,
    timeout: Annotated[str | None, typer.Option(help=help_of("ask-timeout"))] = None,
    default: Annotated[str | None, typer.Option(help=help_of("ask-default"))] = None,
    risk: Annotated[str | None, typer.Option(help=help_of("ask-risk"))] = None,
    context: Annotated[str | None, typer.Option(help=help_of("ask-context"))] = None,
    context_file: Annotated[Path | None, typer.Option(help=help_of("ask-context-file"))] = None,
    takes_words: Annotated[bool, typer.Option("--input", help=help_of("ask-input"))] = False,
    group: Annotated[str | None, typer.Option(help=help_of("ask-group"))] = None,
    asked_id: Annotated[str | None, typer.Option("--id", help=help_of("ask-id"))] = None,
    as_json: AsJson = False,
) -> None:
    """Only the answer is printed; anything about it goes to stderr."""
    language = LANGUAGE
    try:
        home = guarded_home()
        locale = settings_of(home).locale
        language = locale.speaks
        said = {
            "question": question,
            "kind": QuestionKind.INPUT.word if takes_words else None,
            "options": None if options is None else plain_options(options.split(",")),
            "timeout_minutes": None if timeout is None else _minutes(timeout),
            "default_action": default,
            "risk": risk,
            "context": context if context_file is None else _read(context_file),
            "group": group,
            "id": asked_id,
        }
        wanted = {name: value for name, value in said.items() if value is not None}
        check(wanted, language)
        asked = asyncio.run(_ask(home, wanted, locale))
    except NanoClawError as error:
        typer.echo(tell(language, in_flags(error) if isinstance(error, HostSaid) else error), err=True)
        raise typer.Exit(NOT_ASKED) from error
    except (KeyboardInterrupt, asyncio.CancelledError) as gone:
        typer.echo(say(language, "ask-cancelled"), err=True)
        raise typer.Exit(_TAKEN_BACK) from gone
    if as_json:
        print_json(as_dict(asked))
    elif asked.chosen is not None:
        typer.echo(asked.chosen)
    if remark := _remark(asked, language):
        typer.echo(remark, err=True)
    raise typer.Exit(exit_code(asked))


def exit_code(question: Question) -> int:
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


async def _ask(home: Path, wanted: Mapping[str, Any], locale: Locale) -> Question:
    """Ask; if told to stop, take the question back, as with Ctrl-C."""

    def tell_of(question: Question) -> None:
        if sys.stderr.isatty() and question.status == Status.PENDING:
            time = clock(question.deadline_at, locale, asked_at=question.created_at)
            typer.echo(say(locale.speaks, "ask-waiting", id=question.short, time=time), err=True)

    waiting = asyncio.create_task(ask_and_wait(home, wanted, tell_of))
    with suppress(RuntimeError):  # only the main thread receives signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, waiting.cancel)
    return await waiting


def _remark(question: Question, language: str) -> str | None:
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
