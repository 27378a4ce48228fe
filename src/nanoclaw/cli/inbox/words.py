"""The words of the command line about questions to people. The work is done elsewhere."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from nanoclaw.cli.words import AsJson
from nanoclaw.cli.words import help_of as _help
from nanoclaw.cli.words import room as _room
from nanoclaw.host.settings import home_folder

NOT_ASKED = 125
"""The exit code of `ask` when there is no answer because there was no question: none of its choices has it."""

inbox = typer.Typer(help=_help("inbox"))
decisions = typer.Typer(help=_help("decisions"))
permits = typer.Typer(help=_help("permits"))

Question = Annotated[str, typer.Argument(metavar="ID", help=_help("question"))]
_MOST = 200
_Misuse: Any = typer.BadParameter.__mro__[1]  # UsageError, which typer keeps to itself


class _Asks(TyperCommand):
    """A slip on the command line must not look like a choice, which it would with the usual exit code 2."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except _Misuse as error:
            error.exit_code = NOT_ASKED
            raise


def add_to(app: typer.Typer) -> None:
    for name, words in {"inbox": inbox, "decisions": decisions, "permits": permits}.items():
        app.add_typer(words, name=name)
    app.command("decide", help=_help("decide"))(decide)
    app.command("ask", help=_help("ask"), cls=_Asks)(ask)


@inbox.callback(invoke_without_command=True)
def inbox_list(asked: typer.Context, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is None:
        _room("inbox.commands").list_open(home_folder(), as_json=as_json)


@inbox.command("cancel", help=_help("inbox-cancel"))
def inbox_cancel(question: Question, as_json: AsJson = False) -> None:
    _room("inbox.commands").cancel(home_folder(), question, as_json=as_json)


@inbox.command("again", help=_help("inbox-again"))
def inbox_again(question: Question, as_json: AsJson = False) -> None:
    _room("inbox.commands").ask_again(home_folder(), question, as_json=as_json)


def decide(
    question: Question,
    option: Annotated[str | None, typer.Argument(help=_help("option"))] = None,
    text: Annotated[str | None, typer.Option(help=_help("decide-text"))] = None,
    as_json: AsJson = False,
) -> None:
    _room("inbox.commands").decide(home_folder(), question, option, text, as_json=as_json)


def ask(
    question: Annotated[str, typer.Argument(help=_help("ask-question"))],
    options: Annotated[str | None, typer.Option(help=_help("ask-options"))] = None,
    timeout: Annotated[str | None, typer.Option(help=_help("ask-timeout"))] = None,
    default: Annotated[str | None, typer.Option(help=_help("ask-default"))] = None,
    risk: Annotated[str | None, typer.Option(help=_help("ask-risk"))] = None,
    context: Annotated[str | None, typer.Option(help=_help("ask-context"))] = None,
    context_file: Annotated[Path | None, typer.Option(help=_help("ask-context-file"))] = None,
    takes_words: Annotated[bool, typer.Option("--input", help=_help("ask-input"))] = False,
    group: Annotated[str | None, typer.Option(help=_help("ask-group"))] = None,
    asked_id: Annotated[str | None, typer.Option("--id", help=_help("ask-id"))] = None,
    as_json: AsJson = False,
) -> None:
    given: dict[str, Any] = {
        "question": question,
        "options": options,
        "timeout": timeout,
        "default": default,
        "risk": risk,
        "context": context,
        "context_file": context_file,
        "takes_words": takes_words,
        "group": group,
        "asked_id": asked_id,
    }
    _room("inbox.ask").ask(home_folder(), _room("inbox.ask").Typed(**given), as_json=as_json)


@decisions.callback(invoke_without_command=True)
def decisions_list(
    asked: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help=_help("limit"))] = 30,
    before: Annotated[str | None, typer.Option(help=_help("decisions-before"))] = None,
    figures: Annotated[bool, typer.Option("--figures", help=_help("decisions-figures"))] = False,
    days: Annotated[int, typer.Option(min=1, max=3650, help=_help("decisions-days"))] = 30,
    as_json: AsJson = False,
) -> None:
    if asked.invoked_subcommand is not None:
        return
    if figures:
        _room("inbox.commands").show_figures(home_folder(), days, as_json=as_json)
    else:
        _room("inbox.commands").list_decided(home_folder(), limit, before, as_json=as_json)


@decisions.command("show", help=_help("decisions-show"))
def decisions_show(question: Question, as_json: AsJson = False) -> None:
    _room("inbox.commands").show(home_folder(), question, as_json=as_json)


@permits.callback(invoke_without_command=True)
def permits_list(asked: typer.Context, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is None:
        _room("inbox.commands").list_permits(home_folder(), as_json=as_json)


@permits.command("revoke", help=_help("permits-revoke"))
def permits_revoke(permit: Annotated[str, typer.Argument(metavar="ID", help=_help("permit"))]) -> None:
    _room("inbox.commands").revoke(home_folder(), permit)
