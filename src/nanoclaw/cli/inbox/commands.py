"""The commands about questions to people: what is open, deciding, what was decided, and permits.

They go through the host, so that every card changes at once; where none runs, one is started for a moment.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import typer

from nanoclaw.cli.host_asking import in_place_of, through_host
from nanoclaw.cli.inbox.lines import decision_line, figure_lines, open_lines, permit_line, whole_lines
from nanoclaw.cli.people.asking import print_list, word, word_or_none
from nanoclaw.cli.report import print_json, print_table
from nanoclaw.client.connection import Door
from nanoclaw.client.inbox import InboxClient
from nanoclaw.console.inbox_keeper import QuestionRow
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.text import storable
from nanoclaw.durable.clock import now
from nanoclaw.texts import say

T = TypeVar("T")

_TO_GO_ON = 30.0  # seconds that an agent gets that a decision wakes, on a host that was started for it


def list_open(home: Path, *, as_json: bool) -> None:
    found, locale = _through_host(home, InboxClient.open)
    print_list(
        found,
        locale,
        lambda _, row: "\n".join(open_lines(locale, row, now())),
        "inbox-head-none",
        as_json=as_json,
    )


def decide(home: Path, question: str, option: str | None, text: str | None, *, as_json: bool) -> None:
    if option is None and text is None:
        raise Refused("decide-what")
    words = None if text is None else storable(text)
    with in_place_of("question-needs-words", Refused("decide-words", id=word(question))):
        (said, row), _ = _through_host(
            home, lambda inbox: inbox.decide(word(question), word_or_none(option), words), patience=_TO_GO_ON
        )
    _print_said(said, row, as_json=as_json)


def cancel(home: Path, question: str, *, as_json: bool) -> None:
    row, locale = _through_host(home, lambda inbox: inbox.cancel(word(question)), patience=_TO_GO_ON)
    _print_said(say(locale.speaks, "inbox-cancelled", id=row.short), row, as_json=as_json)


def ask_again(home: Path, question: str, *, as_json: bool) -> None:
    row, locale = _through_host(home, lambda inbox: inbox.ask_again(word(question)))
    _print_said("\n".join(open_lines(locale, row, now())), row, as_json=as_json)


def list_decided(home: Path, limit: int, before: str | None, *, as_json: bool) -> None:
    async def story(inbox: InboxClient) -> Sequence[QuestionRow]:
        start = before and (await inbox.get(word(before))).id  # the list shows only the end of an id
        return await inbox.decided(limit, start)

    with _unknown_decision(before or ""):
        found, locale = _through_host(home, story)
    print_list(found, locale, decision_line, "decisions-none", as_json=as_json)


def show(home: Path, question: str, *, as_json: bool) -> None:
    with _unknown_decision(question):
        row, locale = _through_host(home, lambda inbox: inbox.get(word(question)))
    _print_said("\n".join(whole_lines(locale, row, now())), row, as_json=as_json)


def show_figures(home: Path, days: int, *, as_json: bool) -> None:
    figures, locale = _through_host(home, lambda inbox: inbox.figures(days))
    if as_json:
        print_json(asdict(figures))
        return
    head, names, rows, plots = figure_lines(locale, figures)
    typer.echo(head)
    if rows:
        print_table(names, rows)
        typer.echo("\n".join(plots))


def list_permits(home: Path, *, as_json: bool) -> None:
    found, locale = _through_host(home, InboxClient.permits)
    print_list(found, locale, permit_line, "permits-head-none", as_json=as_json)


def revoke(home: Path, permit: str) -> None:
    _, locale = _through_host(home, lambda inbox: inbox.revoke(word(permit)))
    typer.echo(say(locale.speaks, "permit-gone", id=word(permit)))


def _print_said(said: str, row: QuestionRow, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(row))
    else:
        typer.echo(said)


def _unknown_decision(ref: str) -> AbstractContextManager[None]:
    """Whoever looks for what was decided is not helped by the list of what is open."""
    return in_place_of("no-such-question", NotFound("no-such-decision", id=ref))


def _through_host(
    home: Path, act: Callable[[InboxClient], Awaitable[T]], *, patience: float = 0
) -> tuple[T, Locale]:
    async def ask(door: Door) -> T:
        async with InboxClient(door) as inbox:
            return await act(inbox)

    return through_host(home, ask, patience=patience)
