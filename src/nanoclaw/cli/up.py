"""Starts the host: with a chat in this terminal, as a service, or just long enough for one message."""

import asyncio
import signal
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import typer

from nanoclaw.cli import chat
from nanoclaw.cli.moment import kept_running, start_host, through_host
from nanoclaw.client.connection import Door
from nanoclaw.domain.errors import AlreadyRunning
from nanoclaw.domain.ids import new_id
from nanoclaw.host import logs, running, workspace
from nanoclaw.host.backup import marker
from nanoclaw.host.database import damage_named
from nanoclaw.host.settings import Settings, read_settings
from nanoclaw.host.wiring import Host
from nanoclaw.texts import say

_PAUSE = 0.05
_ROOM_WITHIN = 60.0  # seconds; a host for a moment needs two or three to let go of everything


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


@asynccontextmanager
async def _started(home: Path, settings: Settings, *, new_database: bool) -> AsyncIterator[Host]:
    """The host that stays: a command that is one for a moment makes room for it."""

    with damage_named(home, settings):
        while True:
            try:
                host = await start_host(home, settings, new_database=new_database)
                break
            except AlreadyRunning:
                if not await _made_room(home, settings.language):
                    raise
    async with kept_running(host, settings.language):
        yield host


async def _made_room(home: Path, language: str) -> bool:
    """Whether the workspace was held by a host for a moment only, and is free now."""
    if not running.ask_to_leave(home):
        return False
    typer.echo(say(language, "up-makes-room"), err=True)
    try:
        async with asyncio.timeout(_ROOM_WITHIN):
            while running.is_held(home):
                # Asked again and again: another command may have taken its place meanwhile.
                running.ask_to_leave(home)
                await asyncio.sleep(_PAUSE)
    except TimeoutError:
        return False
    return True
