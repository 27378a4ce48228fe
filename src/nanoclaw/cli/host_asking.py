"""How commands ask a host over its HTTP API: the one that runs, or one that is started for a moment."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from nanoclaw.cli.report import owner_locale, settings_of, with_store
from nanoclaw.cli.words import room
from nanoclaw.client.connection import Door
from nanoclaw.domain.errors import HostSaid, HostUnreachable, NotFound, NotRunning, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.host import logs, running

T = TypeVar("T")


def through_host(home: Path, ask: Callable[[Door], Awaitable[T]], *, patience: float = 0) -> tuple[T, Locale]:
    """What the host says, and in which language and on which clock the owner reads it.

    A host that is started for this gets `patience` in seconds for what it sets going.
    """
    return _said(home, ask, patience), locale_of_owner(home)


def locale_of_owner(home: Path) -> Locale:
    """Read from the database itself, which is there once a host has been."""
    settings = settings_of(home)
    return with_store(home, settings, lambda tx: owner_locale(tx, settings))


def _said(home: Path, ask: Callable[[Door], Awaitable[T]], patience: float) -> T:
    settings = settings_of(home)
    if running.find(home):
        with suppress(NotRunning, HostUnreachable):  # it is being stopped right now
            return asyncio.run(_asked(home, ask))
    logs.write_to_file(home, settings.log.level)
    moment: Any = room("moment")  # with a whole host behind it, which most of the time runs already
    said: T = asyncio.run(moment.through_host(home, settings, ask, patience=patience))
    return said


async def _asked(home: Path, ask: Callable[[Door], Awaitable[T]]) -> T:
    return await ask(Door.of(home))


@contextmanager
def in_place_of(code: str, ours: Refused | NotFound) -> Iterator[None]:
    """The host speaks to everyone; here it can be said what to type."""
    try:
        yield
    except HostSaid as error:
        if error.values.get("code") != code:
            raise
        raise ours from error
