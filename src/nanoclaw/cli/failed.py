"""`nanoclaw failed ...`: answers that could not be delivered, to be retried or dropped."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nanoclaw.cli.database import settings_of, with_store
from nanoclaw.cli.options import AsJson, guarded_home, help_of, lists_alone
from nanoclaw.cli.output import print_json
from nanoclaw.cli.people.access import word
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.parcels import Parcel
from nanoclaw.domain.shown_text import shown_line
from nanoclaw.durable import people, sent
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host import host_lock
from nanoclaw.host.settings import Settings
from nanoclaw.texts import say

app = typer.Typer()
failed = typer.Typer(help=help_of("failed"))
app.add_typer(failed, name="failed")

Ids = Annotated[list[str] | None, typer.Argument(help=help_of("ids"))]
All = Annotated[bool, typer.Option("--all", help=help_of("all"))]
_LONGEST_CELL = 60


@failed.command("list", help=help_of("failed-list"))
def list_failed(as_json: AsJson = False) -> None:
    home = guarded_home()
    settings = settings_of(home)
    parcels, lost = with_store(home, settings, lambda tx: (outbox.given_up(tx), len(sent.lost_drafts(tx))))
    if as_json:
        print_json([asdict(parcel) for parcel in parcels])
        return
    if lost:
        typer.echo(say(settings.language, "failed-drafts-count", count=lost))
    if not parcels:
        typer.echo(say(settings.language, "failed-none"))
        return
    table = Table()
    for name in ("id", "chat", "state", "error", "text"):
        table.add_column(
            say(settings.language, f"failed-column-{name}"), overflow="fold", no_wrap=name == "id"
        )
    for parcel in parcels:
        cells = (
            parcel.id,
            f"{parcel.channel} {parcel.address}",
            parcel.state,
            _reason(parcel, settings.language),
            parcel.text[:_LONGEST_CELL],
        )
        table.add_row(*(Text(shown_line(cell)) for cell in cells))  # as text: brackets are not Rich's markup
    Console().print(table)


lists_alone(failed, list_failed)


@failed.command("drafts", help=help_of("failed-drafts"))
def list_drafts(as_json: AsJson = False) -> None:
    """First words of answers that may be in a chat above the whole answer: nobody knows whether they arrived."""
    home = guarded_home()
    settings = settings_of(home)

    def story(tx: Tx) -> list[dict[str, str]]:
        found = ((turn, people.chat(tx, ChatId(chat_id))) for turn, chat_id in sent.lost_drafts(tx))
        return [
            {"turn": turn, "chat": chat.title, "channel": chat.channel, "address": chat.address}
            for turn, chat in found
            if chat
        ]

    found = with_store(home, settings, story)
    if as_json:
        print_json(found)
    elif not found:
        typer.echo(say(settings.language, "failed-drafts-none"))
    for each in [] if as_json else found:
        typer.echo(f"{each['turn']}  {each['channel']} {each['address']}  {each['chat']}")


@failed.command("retry", help=help_of("failed-retry"))
def retry(ids: Ids = None, everything: All = False) -> None:
    home = guarded_home()
    settings = settings_of(home)
    done = _decide(home, settings, ids or [], outbox.retry, everything=everything)
    running_now = "yes" if host_lock.find(home) else "no"
    typer.echo(say(settings.language, "failed-retried", count=done, running=running_now))


@failed.command("drop", help=help_of("failed-drop"))
def drop(ids: Ids = None, everything: All = False) -> None:
    home = guarded_home()
    settings = settings_of(home)
    done = _decide(home, settings, ids or [], outbox.drop, everything=everything)
    typer.echo(say(settings.language, "failed-dropped", count=done))


def _decide(
    home: Path,
    settings: Settings,
    ids: list[str],
    act: Callable[[Tx, Parcel, datetime], None],
    *,
    everything: bool,
) -> int:
    """All of the named ones or none: one unknown id changes nothing."""
    if not ids and not everything:
        raise Refused("failed-none-named")

    def story(tx: Tx) -> int:
        known = {parcel.id: parcel for parcel in outbox.given_up(tx)}
        chosen = list(known.values()) if everything else [_named(known, ref) for ref in ids]
        for parcel in chosen:
            act(tx, parcel, now())
        return len(chosen)

    return with_store(home, settings, story, write=True)


def _named(known: dict[Any, Parcel], ref: str) -> Parcel:
    fits = [parcel for name, parcel in known.items() if str(name).startswith(ref)]
    if len(fits) != 1:
        raise NotFound("failed-unknown", id=word(ref) or '""')
    return fits[0]


def _reason(parcel: Parcel, language: str) -> str:
    noted = dict(parcel.error or {})
    key = noted.get("error", "unexpected")
    return say(language, f"error-{key}", **noted)
