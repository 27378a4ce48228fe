"""The commands about questions to people: what is open, deciding, what was decided, and permits.

They go through the host, so that every card changes at once; if none runs, a temporary one is started.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, TypeVar

import typer

from nanoclaw.cli.host_requests import in_place_of, through_host
from nanoclaw.cli.inbox.lines import decision_line, figure_lines, open_lines, permit_line, whole_lines
from nanoclaw.cli.options import AsJson, help_of
from nanoclaw.cli.output import as_dict, print_json, print_list, print_table
from nanoclaw.cli.people.access import word, word_or_none
from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.console import question_shapes as shapes
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.text import storable
from nanoclaw.durable.clock import now
from nanoclaw.texts import say

T = TypeVar("T")

app = typer.Typer()
inbox = typer.Typer(help=help_of("inbox"))
decisions = typer.Typer(help=help_of("decisions"))
permits = typer.Typer(help=help_of("permits"))
app.add_typer(inbox, name="inbox")
app.add_typer(decisions, name="decisions")
app.add_typer(permits, name="permits")

Question = Annotated[str, typer.Argument(metavar="ID", help=help_of("question"))]
_MOST = 200

_TO_GO_ON = 30.0  # seconds for an agent woken by a decision, on a temporary host


@inbox.callback(invoke_without_command=True)
def list_open(asked: typer.Context, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is not None:
        return
    found, locale = _through_host(InboxClient.open)
    print_list(
        found,
        locale,
        lambda _, row: "\n".join(open_lines(locale, row, now())),
        "inbox-head-none",
        as_json=as_json,
    )


@app.command("decide", help=help_of("decide"))
def decide(
    question: Question,
    option: Annotated[str | None, typer.Argument(help=help_of("option"))] = None,
    text: Annotated[str | None, typer.Option(help=help_of("decide-text"))] = None,
    as_json: AsJson = False,
) -> None:
    if option is None and text is None:
        raise Refused("decide-what")
    words = None if text is None else storable(text)
    with in_place_of("question-needs-words", Refused("decide-words", id=word(question))):
        decided, _ = _through_host(
            lambda inbox: inbox.decide(word(question), word_or_none(option), words), patience=_TO_GO_ON
        )
    _print_said(decided.said, decided.question, as_json=as_json)


@inbox.command("cancel", help=help_of("inbox-cancel"))
def cancel(question: Question, as_json: AsJson = False) -> None:
    row, locale = _through_host(lambda inbox: inbox.change(word(question), "cancel"), patience=_TO_GO_ON)
    _print_said(say(locale.speaks, "inbox-cancelled", id=row.short), row, as_json=as_json)


@inbox.command("again", help=help_of("inbox-again"))
def ask_again(question: Question, as_json: AsJson = False) -> None:
    row, locale = _through_host(lambda inbox: inbox.change(word(question), "again"))
    _print_said("\n".join(open_lines(locale, row, now())), row, as_json=as_json)


@decisions.callback(invoke_without_command=True)
def list_decided(
    asked: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help=help_of("limit"))] = 30,
    before: Annotated[str | None, typer.Option(help=help_of("decisions-before"))] = None,
    figures: Annotated[bool, typer.Option("--figures", help=help_of("decisions-figures"))] = False,
    days: Annotated[int, typer.Option(min=1, max=3650, help=help_of("decisions-days"))] = 30,
    as_json: AsJson = False,
) -> None:
    if asked.invoked_subcommand is None and figures:
        _show_figures(days, as_json=as_json)
    elif asked.invoked_subcommand is None:
        _list_decided(limit, before, as_json=as_json)


def _list_decided(limit: int, before: str | None, *, as_json: bool) -> None:
    async def story(inbox: InboxClient) -> Sequence[shapes.Question]:
        start = before and (await inbox.get(word(before))).id  # the list shows only the end of an id
        return await inbox.decided(limit, start)

    with _unknown_decision(before or ""):
        found, locale = _through_host(story)
    print_list(found, locale, decision_line, "decisions-none", as_json=as_json)


@decisions.command("show", help=help_of("decisions-show"))
def show(question: Question, as_json: AsJson = False) -> None:
    with _unknown_decision(question):
        row, locale = _through_host(lambda inbox: inbox.get(word(question)))
    _print_said("\n".join(whole_lines(locale, row, now())), row, as_json=as_json)


def _show_figures(days: int, *, as_json: bool) -> None:
    figures, locale = _through_host(lambda inbox: inbox.figures(days))
    if as_json:
        print_json(as_dict(figures))
        return
    head, names, rows, plots = figure_lines(locale, figures)
    typer.echo(head)
    if rows:
        print_table(names, rows)
        typer.echo("\n".join(plots))


@permits.callback(invoke_without_command=True)
def list_permits(asked: typer.Context, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is not None:
        return
    found, locale = _through_host(InboxClient.permits)
    print_list(found, locale, permit_line, "permits-head-none", as_json=as_json)


@permits.command("revoke", help=help_of("permits-revoke"))
def revoke(permit: Annotated[str, typer.Argument(metavar="ID", help=help_of("permit"))]) -> None:
    _, locale = _through_host(lambda inbox: inbox.revoke(word(permit)))
    typer.echo(say(locale.speaks, "permit-gone", id=word(permit)))


def _print_said(said: str, row: shapes.Question, *, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo(said)


def _unknown_decision(ref: str) -> AbstractContextManager[None]:
    """The list of open questions does not help someone who looks for a decision."""
    return in_place_of("no-such-question", NotFound("no-such-decision", id=word(ref) or '""'))


def _through_host(act: Callable[[InboxClient], Awaitable[T]], *, patience: float = 0) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with InboxClient(address) as client:
            return await act(client)

    return through_host(ask, patience=patience)
