"""`nanoclaw up`: starts the host, with a chat in this terminal or as a service."""

import asyncio
import ctypes
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.cli.init import prepare
from nanoclaw.cli.options import guarded_home, help_of
from nanoclaw.cli.temporary_host import kept_running, start_host
from nanoclaw.client.connection import Address
from nanoclaw.domain.errors import AlreadyRunning
from nanoclaw.domain.ids import new_id
from nanoclaw.host import host_lock, logs
from nanoclaw.host.database import damage_named
from nanoclaw.host.host import Host
from nanoclaw.host.quick_import import load
from nanoclaw.host.settings import Settings
from nanoclaw.texts import say

app = typer.Typer()

_PAUSE = 0.05
_MOST_HEAPS = -8  # M_ARENA_MAX
_OWN_PAGES_FROM, _BIG = -3, 128 * 1024  # M_MMAP_THRESHOLD, bytes
_ROOM_WITHIN = 60.0  # seconds; a temporary host needs two or three to release everything


def _keep_one_heap() -> None:
    """Our threads run one at a time, because of the interpreter lock: a heap for each would only waste
    memory. Big allocations get their own pages, and return them: the C library would soon put them between
    what stays.
    """
    with suppress(AttributeError, OSError):  # the C library has no such option
        library = ctypes.CDLL(None)
        library.mallopt(_MOST_HEAPS, 1)
        library.mallopt(_OWN_PAGES_FROM, _BIG)


@app.command(help=help_of("up"))
def up(
    no_chat: Annotated[bool, typer.Option("--no-chat", help=help_of("no-chat"))] = False,
    new_database: Annotated[bool, typer.Option("--new-database", help=help_of("new-database"))] = False,
) -> None:
    home = guarded_home()
    _keep_one_heap()
    settings, made = prepare(home)
    with_chat = not no_chat and sys.stdin.isatty()
    if with_chat:
        logs.write_to_file(home, settings.log.level)
    else:
        logs.write_to_terminal(settings.log.level)
    asyncio.run(_serve(home, settings, with_chat=with_chat, made=made, new_database=new_database))


async def _serve(home: Path, settings: Settings, *, with_chat: bool, made: bool, new_database: bool) -> None:
    language = settings.language
    stopping = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stopping.set)
    since = new_id("m")  # what the host says while it starts is shown, too
    async with _started(home, settings, new_database=new_database, on_unfit=stopping.set) as host:
        if made:
            typer.echo(say(language, "up-made", home=str(home)))
        if host.new_skills:
            typer.echo(say(language, "up-skills", skills=", ".join(host.new_skills)))
        # The token is for a person's eyes: without a terminal it would end up in a log.
        link = f"{host.url}?token={host.token}" if sys.stdout.isatty() else host.url
        typer.echo(say(language, "up-ready", link=link))
        if settings.boxes.driver == "process":
            typer.echo(say(language, "sandbox-process-warning"), err=True)
        typer.echo(say(language, "up-chat-hint" if with_chat else "up-stop-hint"))
        if with_chat:
            await asyncio.to_thread(load, "nanoclaw.cli.chat")  # meanwhile the host answers others
            from nanoclaw.cli.chat import converse  # noqa: PLC0415 - a service needs neither keys nor colours

            await converse(Address(url=host.url, token=host.token), language, home, stopping, since=since)
        else:
            await stopping.wait()
        typer.echo(say(language, "up-stopping"))
    if host.unfit:
        raise host.unfit
    typer.echo(say(language, "up-stopped"))


@asynccontextmanager
async def _started(
    home: Path, settings: Settings, *, new_database: bool, on_unfit: Callable[[], None]
) -> AsyncIterator[Host]:
    """The host that stays: a command's temporary host makes room for it."""

    with damage_named(home, settings):
        while True:
            try:
                host = await start_host(home, settings, new_database=new_database, on_unfit=on_unfit)
                break
            except AlreadyRunning:
                if not await _made_room(home, settings.language):
                    raise
    async with kept_running(host, settings.language):
        yield host


async def _made_room(home: Path, language: str) -> bool:
    """Whether only a temporary host held the workspace, and it is free now."""
    if not host_lock.ask_to_leave(home):
        return False
    typer.echo(say(language, "up-makes-room"), err=True)
    try:
        async with asyncio.timeout(_ROOM_WITHIN):
            while host_lock.is_held(home):
                # Asked repeatedly: another command may have taken its place meanwhile.
                host_lock.ask_to_leave(home)
                await asyncio.sleep(_PAUSE)
    except TimeoutError:
        return False
    return True
