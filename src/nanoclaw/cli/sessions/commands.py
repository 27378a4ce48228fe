"""The commands about interactive sessions: what is asked for, opening one, concluding it, taking it back."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from nanoclaw.cli.database import settings_of
from nanoclaw.cli.host_requests import in_place_of, locale_of_owner, through_host
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import as_dict, print_json, print_list
from nanoclaw.cli.people.access import word
from nanoclaw.cli.sessions.lines import session_lines, standing_line, whole_session
from nanoclaw.client.connection import Address
from nanoclaw.client.sessions import SessionClient
from nanoclaw.console.session_shapes import Session, WholeSession
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.questions import Status
from nanoclaw.durable.clock import now
from nanoclaw.texts import say

T = TypeVar("T")

app = typer.Typer()
session = typer.Typer(help=help_of("session"))
app.add_typer(session, name="session")

Id = Annotated[str, typer.Argument(metavar="ID", help=help_of("session-id"))]
_TO_GO_ON = 30.0  # seconds for an agent woken by a conclusion, on a temporary host
_MOST_FILE = 1 << 20

LEFT_OPEN = 3
_CODES = {Status.CANCELLED: 130, Status.TIMEOUT: 124, Status.FAILED: 125, Status.PENDING: LEFT_OPEN}


@session.callback(invoke_without_command=True)
def list_sessions(asked: typer.Context, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is None:
        _list(over=False, as_json=as_json)


@session.command("list", help=help_of("session-list"))
def list_all(
    over: Annotated[bool, typer.Option("--all", help=help_of("session-all"))] = False, as_json: AsJson = False
) -> None:
    _list(over=over, as_json=as_json)


@session.command("show", help=help_of("session-show"))
def show(
    ref: Id,
    xml: Annotated[bool, typer.Option("--xml", help=help_of("session-xml"))] = False,
    as_json: AsJson = False,
) -> None:
    with _unknown(ref):
        row, locale = _through_host(lambda client: client.get(word(ref)))
    if xml and not as_json:
        typer.echo(row.xml)
    else:
        _print(row, whole_session(locale, row, now()), as_json=as_json)


@session.command("open", help=help_of("session-open"))
def open_session(
    ref: Id,
    chat: Annotated[bool, typer.Option("--chat", help=help_of("session-chat"))] = False,
    watch: Annotated[bool, typer.Option("--watch", help=help_of("session-watch"))] = False,
    ask: Annotated[bool, typer.Option("--ask/--no", help=help_of("session-ask"))] = True,
) -> None:
    """The exit code says how it stands: 0 concluded, 3 still open, 124 out of time, 125 failed, 130 taken back."""
    from nanoclaw.cli.sessions.opened_session import OpenedSession  # noqa: PLC0415 - a screen and sockets, which others need not load

    home = guarded_home()
    language = settings_of(home).language
    visit = OpenedSession(home, language, word(ref))

    async def story() -> WholeSession:
        standing = await visit.enter(chat=chat, watch=watch)
        if ask and not watch and standing.question.status == Status.PENDING and sys.stdin.isatty():
            standing = await visit.conclude(standing)
        return standing

    with _unknown(ref):
        standing = asyncio.run(story())
    if standing.question.status != Status.PENDING:
        typer.echo(standing_line(locale_of_owner(), standing))
    raise typer.Exit(_CODES.get(Status(standing.question.status), 0))


@session.command("conclude", help=help_of("session-conclude"))
def conclude(
    ref: Id,
    approve: Annotated[bool, typer.Option("--approve", help=help_of("session-approve"))] = False,
    reject: Annotated[bool, typer.Option("--reject", help=help_of("session-reject"))] = False,
    notes: Annotated[str | None, typer.Option("--notes", help=help_of("session-notes"))] = None,
    select: Annotated[str | None, typer.Option("--select", help=help_of("session-select"))] = None,
    text: Annotated[str | None, typer.Option("--text", help=help_of("session-text"))] = None,
    value: Annotated[str | None, typer.Option("--json", help=help_of("session-json"))] = None,
    file: Annotated[Path | None, typer.Option("--file", help=help_of("session-file"))] = None,
) -> None:
    response = _response(
        approve=approve, reject=reject, notes=notes, select=select, text=text, value=value, file=file
    )
    with _unknown(ref):
        row, locale = _through_host(lambda client: client.conclude(word(ref), response), patience=_TO_GO_ON)
    typer.echo(standing_line(locale, row))


@session.command("cancel", help=help_of("session-cancel"))
def cancel(ref: Id, as_json: AsJson = False) -> None:
    with _unknown(ref):
        row, locale = _through_host(lambda client: client.cancel(word(ref)), patience=_TO_GO_ON)
    _print(row, say(locale.speaks, "inbox-cancelled", id=row.question.short), as_json=as_json)


def _response(
    *,
    approve: bool,
    reject: bool,
    notes: str | None,
    select: str | None,
    text: str | None,
    value: str | None,
    file: Path | None,
) -> object:
    """Exactly one of them. Raises Refused."""
    given = [name for name, each in (("--approve", approve), ("--reject", reject)) if each]
    said = (("--select", select), ("--text", text), ("--json", value), ("--file", file))
    given += [name for name, each in said if each is not None]
    if len(given) != 1:
        raise Refused("conclude-what" if not given else "conclude-one", given=", ".join(given))
    if notes is not None and not (approve or reject):
        raise Refused("conclude-notes")
    if approve or reject:
        return {"approved": approve, "notes": notes} if notes else ("approved" if approve else "rejected")
    if select is not None or text is not None:
        return select if select is not None else text
    try:
        written = _read(file) if file is not None else value
        found: object = json.loads(written or "")
    except ValueError as error:
        raise Refused("conclude-json", said=str(error)) from error
    return found


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_MOST_FILE).decode("utf-8")
    except OSError as error:
        raise Refused("context-unread", file=str(file), said=error.strerror or "") from error


def _list(*, over: bool, as_json: bool) -> None:
    found, locale = _through_host(lambda client: client.all(over=over))

    def line(_: Locale, row: Session) -> str:
        return session_lines(locale, row, now())

    print_list(found, locale, line, "sessions-none", as_json=as_json)


def _print(row: WholeSession, said: str, *, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo(said)


def _unknown(ref: str) -> AbstractContextManager[None]:
    """The host treats it as any other question, but its list is not the inbox."""
    return in_place_of("no-such-question", NotFound("no-such-session", id=word(ref)))


def _through_host(act: Callable[[SessionClient], Awaitable[T]], *, patience: float = 0) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with SessionClient(address) as client:
            return await act(client)

    return through_host(ask, patience=patience)
