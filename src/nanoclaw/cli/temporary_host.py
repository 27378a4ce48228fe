"""A command needs a host: the running one, or a temporary one for as long as the command takes.

A temporary host has no bots and begins no tasks, so it must never be in the way of `nanoclaw up`: when asked
for the workspace it stops at once, its unfinished work is put back, and the command continues with the host
that came.
"""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import typer

from nanoclaw.client.connection import Address
from nanoclaw.domain.errors import AlreadyRunning, HostUnreachable, MissingExtra, NotRunning
from nanoclaw.host import extras, host_lock
from nanoclaw.host.backup.hold_text import held_lines, waits_if_held
from nanoclaw.host.database import damage_named
from nanoclaw.host.host import Host
from nanoclaw.host.settings import Settings, Web

T = TypeVar("T")

_PAUSE = 0.2
_LEAST_PATIENCE = 10.0  # seconds for a host that another command is starting or stopping
_ROOM_FOR = 30.0  # seconds in which the host that asked for the workspace should be there


class _GaveWay(Exception):
    """Another host wants to stay; the request is repeated there."""


async def through_host(
    home: Path, settings: Settings, act: Callable[[Address], Awaitable[T]], *, patience: float
) -> T:
    """Use the running host; without one, start a temporary one. Work that continues gets `patience`."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + max(patience, _LEAST_PATIENCE)
    not_before = 0.0  # when this command may start a host itself
    leaving = _heed_leave()
    while True:
        try:
            if host_lock.find(home):
                return await act(Address.of(home))
            if loop.time() >= not_before:
                return await _for_a_moment(home, settings, act, patience, leaving)
        except (AlreadyRunning, NotRunning, HostUnreachable):
            # Another command is starting or stopping a host right now.
            if loop.time() > ends:
                raise
        except _GaveWay:
            not_before = loop.time() + _ROOM_FOR
            ends = max(ends, not_before + _LEAST_PATIENCE)
            leaving.clear()
        await asyncio.sleep(_PAUSE)


async def _for_a_moment(
    home: Path,
    settings: Settings,
    act: Callable[[Address], Awaitable[T]],
    patience: float,
    leaving: asyncio.Event,
) -> T:
    alone = settings.model_copy(update={"web": Web(port=0)})
    with damage_named(home, settings):
        host = await _unless(leaving, start_host(home, alone, with_bots=False, gives_way=_can_heed()))
    async with kept_running(host, settings.language):
        done = await _unless(leaving, _awaited(act(Address(url=host.url, token=host.token))))
        with suppress(_GaveWay):  # those who wait do as this command would
            # Others may have found this host meanwhile and wait for their answers.
            await _unless(leaving, host.calm(patience))
        return done


async def start_host(
    home: Path,
    settings: Settings,
    *,
    with_bots: bool = True,
    gives_way: bool = False,
    new_database: bool = False,
    on_unfit: Callable[[], None] = lambda: None,
) -> Host:
    """Start a host; packages that a setting needs are installed on the way, one extra after another."""
    while True:
        host = Host(
            home,
            settings,
            with_bots=with_bots,
            gives_way=gives_way,
            new_database=new_database,
            on_unfit=on_unfit,
        )
        try:
            await host.start()
        except MissingExtra as missing:
            extras.install(missing, settings.language)
        else:
            return host


@asynccontextmanager
async def kept_running(host: Host, language: str) -> AsyncIterator[None]:
    try:
        if waits := await host.store.read(waits_if_held):
            typer.echo("\n".join(held_lines(language, waits)), err=True)
        yield
    finally:
        await host.stop()


async def _unless(leaving: asyncio.Event, story: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result, unless it is cut off because another host wants to stay."""
    running, asked = asyncio.create_task(story), asyncio.create_task(leaving.wait())
    try:
        await asyncio.wait((running, asked), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            return running.result()
        raise _GaveWay
    finally:
        for task in (running, asked):
            task.cancel()
        await asyncio.gather(running, asked, return_exceptions=True)


async def _awaited(given: Awaitable[T]) -> T:
    return await given


def _can_heed() -> bool:
    """Only the main thread receives signals; a command in another one is a host like any other."""
    return threading.current_thread() is threading.main_thread()


def _heed_leave() -> asyncio.Event:
    """Set when this process is asked to give way. A request that comes late is harmless: nobody receives it."""
    leaving = asyncio.Event()
    if _can_heed():
        loop = asyncio.get_running_loop()

        def heed(*_: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(leaving.set)

        signal.signal(host_lock.LEAVE, heed)
    return leaving
