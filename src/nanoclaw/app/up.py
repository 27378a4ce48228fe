"""Starts the host: with a chat in this terminal, as a service, or just long enough for one message."""

import asyncio
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import typer

from nanoclaw.app import chat, extras, logs, running, workspace
from nanoclaw.app.backup import marker
from nanoclaw.app.backup.telling import held_lines, waits_if_held
from nanoclaw.app.client import Door
from nanoclaw.app.database import damage_named
from nanoclaw.app.settings import Settings, Web, read_settings
from nanoclaw.app.wiring import Host
from nanoclaw.domain.errors import AlreadyRunning, HostUnreachable, MissingExtra, NotRunning
from nanoclaw.domain.ids import new_id
from nanoclaw.texts import say

T = TypeVar("T")

_TRIES = 50
_PAUSE = 0.2


def run(home: Path, *, with_chat: bool, new_database: bool = False) -> None:
    settings, made = prepare(home)
    if with_chat:
        logs.write_to_file(home, settings.log.level)
    else:
        logs.write_to_terminal(settings.log.level)
    asyncio.run(_serve(home, settings, with_chat=with_chat, made=made, new_database=new_database))


def prepare(home: Path) -> tuple[Settings, bool]:
    """The workspace (made now if there is none) and its settings, checked before anything is started."""
    marker.refuse_unfinished(home)
    at_first = read_settings(home)  # the environment may name the language of the workspace to be made
    chosen = at_first.model_fields_set
    made = workspace.make(
        home,
        language=at_first.language if "language" in chosen else workspace.local_language(),
        timezone=at_first.timezone if "timezone" in chosen else workspace.local_timezone(),
    )
    workspace.check(home)
    return read_settings(home), made


def make_workspace(home: Path) -> None:
    settings, made = prepare(home)
    typer.echo(say(settings.language, "init-made" if made else "init-exists", home=str(home)))


def say_once(home: Path, text: str, *, room: str | None, timeout: float, as_json: bool) -> None:
    """Through the running host; without one, start it for as long as the answer takes."""
    settings, _ = prepare(home)
    logs.write_to_file(home, settings.log.level)

    client_id = str(uuid.uuid4())  # one for all tries: however often it is said, it is one message

    async def ask(door: Door) -> int:
        return await chat.say_once(
            door,
            settings.language,
            text,
            client_id=client_id,
            room=room,
            patience=timeout,
            as_json=as_json,
            home=home,
        )

    raise typer.Exit(asyncio.run(through_host(home, settings, ask, patience=timeout)))


async def through_host(
    home: Path, settings: Settings, act: Callable[[Door], Awaitable[T]], *, patience: float
) -> T:
    """Through the running host; without one, one is started for a moment, and what goes on then gets `patience`."""

    async def story() -> T:
        if running.find(home):
            return await act(Door.of(home))
        alone = settings.model_copy(update={"web": Web(port=0)})
        async with _started(home, alone, with_bots=False) as host:
            done = await act(Door(url=host.url, token=host.token))
            await host.calm(patience)  # others may have found this host meanwhile and wait for their answers
            return done

    for _ in range(_TRIES):
        try:
            return await story()
        except (AlreadyRunning, NotRunning, HostUnreachable):
            # Another command starts or stops a host right now.
            await asyncio.sleep(_PAUSE)
    return await story()


async def _serve(home: Path, settings: Settings, *, with_chat: bool, made: bool, new_database: bool) -> None:
    language = settings.language
    stopping = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stopping.set)
    since = new_id("m")  # what the host says while it starts is shown, too
    async with _started(home, settings, new_database=new_database) as host:
        host.when_unfit(stopping.set)
        if made:
            typer.echo(say(language, "up-made", home=str(home)))
        # The token is for a person's eyes: where nobody looks, it would stay in a log.
        link = f"{host.url}?token={host.token}" if sys.stdout.isatty() else host.url
        typer.echo(say(language, "up-ready", link=link))
        if settings.boxes.driver == "process":
            typer.echo(say(language, "sandbox-process-warning"), err=True)
        typer.echo(say(language, "up-chat-hint" if with_chat else "up-stop-hint"))
        if with_chat:
            door = Door(url=host.url, token=host.token)
            await chat.converse(door, language, home, stopping, since=since)
        else:
            await stopping.wait()
        typer.echo(say(language, "up-stopping"))
    if host.unfit:
        raise host.unfit
    typer.echo(say(language, "up-stopped"))


async def _start(home: Path, settings: Settings, *, with_bots: bool, new_database: bool) -> Host:
    """Packages that a setting needs are installed on the way, one extra after the other."""
    while True:
        host = Host(home, settings, with_bots=with_bots, new_database=new_database)
        try:
            await host.start()
        except MissingExtra as missing:
            extras.install(missing, settings.language)
        else:
            return host


@asynccontextmanager
async def _started(
    home: Path, settings: Settings, *, with_bots: bool = True, new_database: bool = False
) -> AsyncIterator[Host]:
    with damage_named(home, settings):
        host = await _start(home, settings, with_bots=with_bots, new_database=new_database)
    try:
        if waits := await host.store.read(waits_if_held):
            typer.echo("\n".join(held_lines(settings.language, waits)), err=True)
        yield host
    finally:
        await host.stop()
