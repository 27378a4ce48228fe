"""What an operator asks: status, why, failed. Read from the database itself, so it works also when the host is down."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nanoclaw.console.desk import OWNER
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import BadWorkspace, HostUnreachable, NanoClawError, NotFound, NotRunning, Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Parcel
from nanoclaw.durable import approvals, figures, held, people, questions, schema, sent, timeline
from nanoclaw.durable.clock import now
from nanoclaw.durable.heartbeat import follow_database
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.why import Explanation, explain
from nanoclaw.host import running, workspace
from nanoclaw.host.backup import marker
from nanoclaw.host.backup.telling import waits_if_held
from nanoclaw.host.database import damage_named, open_database, remember
from nanoclaw.host.settings import FILE, Settings, read_settings
from nanoclaw.texts import say

T = TypeVar("T")
_LONGEST_CELL = 60


def status(home: Path, *, as_json: bool) -> None:
    settings = settings_of(home)
    host = running.find(home)

    def story(tx: Tx) -> tuple[figures.Figures, int, int, held.Waits | None]:
        return figures.count(tx), approvals.count_open(tx), questions.count_open(tx), waits_if_held(tx)

    trouble = _trouble(home) if host else None
    try:
        counted, requests, asked, waits = with_store(home, settings, story)
    except NanoClawError:
        if trouble:  # the host that runs knows what happened to it
            typer.echo(trouble, err=True)
        raise
    token = home / "data" / "web-token"
    link = f"{host.url}?token={token.read_text('ascii').strip()}" if host else None
    if as_json:
        print_json(
            {
                "running": host is not None,
                "host": host and asdict(host),
                "link": link,
                "trouble": trouble,
                "workspace": str(home),
                "database": settings.shown_database_url(home),
                "work": asdict(counted),
                "requests": requests,
                "questions": asked,
                "held": waits,
            }
        )
        return
    language = settings.language
    where = (
        say(language, "status-running", url=host.url, pid=str(host.pid))
        if host
        else say(language, "status-stopped")
    )
    rows = {
        "host": where,
        "link": link,
        "trouble": trouble,
        "workspace": str(home),
        "database": settings.shown_database_url(home),
        "waiting": counted.waiting,
        "turns": counted.running,
        "undelivered": counted.undelivered,
        "failed": counted.failed,
        "requests": requests,
        "questions": asked,
        "held": waits and say(language, "status-held-value", **waits),
    }
    names = {key: say(language, f"status-{key}") for key, value in rows.items() if value is not None}
    width = max(len(name) for name in names.values())
    for key, name in names.items():
        typer.echo(f"{name.ljust(width)}  {rows[key]}")


def _trouble(home: Path) -> str | None:
    """What the host that runs says of its database. Loaded by name: the client of its API is slow to load."""
    try:
        told: str | None = import_module("nanoclaw.cli.store_check").trouble_of_host(home)
    except (NotRunning, HostUnreachable):  # it stops right now
        return None
    return told


def why(home: Path, ref: str | None, *, as_json: bool) -> None:
    """Without an id: the last message that came."""
    settings = settings_of(home)

    def story(tx: Tx) -> tuple[list[Explanation], Locale]:
        locale = owner_locale(tx, settings)
        wanted = [timeline.newest(tx)] if ref is None else timeline.find(tx, ref)
        found = (explain(tx, message_id, locale) for message_id in wanted if message_id)
        return [told for told in found if told], locale

    found, locale = with_store(home, settings, story)
    if not found:
        raise NotFound("no-such-message")
    if as_json:
        print_json([asdict(told) for told in found])
        return
    for told in found:
        said = " ".join(told.text[:_LONGEST_CELL].split())
        typer.echo(say(locale.speaks, "why-head", id=told.id, sentence=told.sentence, said=said))
        _print_steps(told, locale)


def failed(home: Path, *, as_json: bool) -> None:
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
        table.add_row(*(Text(cell) for cell in cells))  # as text: brackets in it are not Rich's markup
    Console().print(table)


def drafts(home: Path, *, as_json: bool) -> None:
    """First words of answers that may stand in a chat above the whole answer: nobody knows whether they arrived."""
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


def retry(home: Path, ids: list[str], *, everything: bool) -> None:
    settings = settings_of(home)
    done = _decide(home, settings, ids, outbox.retry, everything=everything)
    running_now = "yes" if running.find(home) else "no"
    typer.echo(say(settings.language, "failed-retried", count=done, running=running_now))


def drop(home: Path, ids: list[str], *, everything: bool) -> None:
    settings = settings_of(home)
    done = _decide(home, settings, ids, outbox.drop, everything=everything)
    typer.echo(say(settings.language, "failed-dropped", count=done))


def _decide(
    home: Path,
    settings: Settings,
    ids: list[str],
    act: Callable[[Tx, Parcel, datetime], None],
    *,
    everything: bool,
) -> int:
    """All of the named ones, or none: one unknown id changes nothing."""
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
        raise NotFound("failed-unknown", id=ref)
    return fits[0]


def settings_of(home: Path) -> Settings:
    marker.refuse_unfinished(home)
    if not (home / FILE).exists():
        raise BadWorkspace("no-workspace", home=str(home))
    workspace.check(home)
    return read_settings(home)


def owner_locale(tx: Tx, settings: Settings) -> Locale:
    """Whoever holds this machine is the owner; their own language and zone come first."""
    owner = people.person_named(tx, OWNER)
    own = Locale(language=owner.language, timezone=owner.timezone) if owner else Locale()
    return own.or_else(settings.locale)


def with_store(home: Path, settings: Settings, story: Callable[[Tx], T], *, write: bool = False) -> T:
    with opened_store(home, settings) as store:
        return asyncio.run(_once(store, story, write=write))


@contextmanager
def opened_store(home: Path, settings: Settings) -> Iterator[Store]:
    """SQLite lets a second process read and write beside the host; its lock keeps them apart."""
    with damage_named(home, settings):
        store = open_database(home, settings)
        try:
            schema.expect(store)
            remember(home, settings)
            if store.shared:
                with schema.told(store.engine.connect) as tx:
                    follow_database(tx)
            yield store
        finally:
            store.close()


async def _once(store: Store, story: Callable[[Tx], T], *, write: bool) -> T:
    return await (store.write(story) if write else store.read(story))


def _print_steps(told: Explanation, locale: Locale) -> None:
    before = told.steps[0].at if told.steps else None
    for step in told.steps:
        took = (step.at - before).total_seconds() * 1000 if before else 0
        typer.echo(
            f"  {step.at.astimezone(locale.zone):%Y-%m-%d %H:%M:%S.%f}"[:-3]
            + f"  +{took:7.1f} ms  {step.sentence}"
        )
        before = step.at


def _reason(parcel: Parcel, language: str) -> str:
    noted = dict(parcel.error or {})
    key = noted.get("error", "unexpected")
    return say(language, f"error-{key}", **noted)


def print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def print_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(box=None)
    for name in names:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # as text: brackets in it are not Rich's markup
    Console().print(table)
