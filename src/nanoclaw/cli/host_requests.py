"""How commands ask a host over its HTTP API: the one that runs, or one that is started for a moment."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from nanoclaw.cli.database import owner_locale, settings_of, with_store
from nanoclaw.cli.options import guarded_home
from nanoclaw.client.connection import Address
from nanoclaw.domain.errors import HostSaid, HostUnreachable, NotFound, NotRunning, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.host import host_lock, logs

T = TypeVar("T")


def through_host(ask: Callable[[Address], Awaitable[T]], *, patience: float = 0) -> tuple[T, Locale]:
    """What the host says, and in which language and on which clock the owner reads it.

    A host that is started for this gets `patience` in seconds for what it sets going.
    """
    return _said(guarded_home(), ask, patience), locale_of_owner()


def locale_of_owner() -> Locale:
    """Read from the database itself, which is there once a host has been."""
    home = guarded_home()
    settings = settings_of(home)
    return with_store(home, settings, lambda tx: owner_locale(tx, settings))


def _said(home: Path, ask: Callable[[Address], Awaitable[T]], patience: float) -> T:
    settings = settings_of(home)
    if host_lock.find(home):
        with suppress(NotRunning, HostUnreachable):  # it is being stopped right now
            return asyncio.run(_asked(home, ask))
    from nanoclaw.cli import temporary_host  # noqa: PLC0415 - a whole host is behind it, and most of the time one runs already

    logs.write_to_file(home, settings.log.level)
    return asyncio.run(temporary_host.through_host(home, settings, ask, patience=patience))


async def _asked(home: Path, ask: Callable[[Address], Awaitable[T]]) -> T:
    return await ask(Address.of(home))


@contextmanager
def in_place_of(code: str, ours: Refused | NotFound) -> Iterator[None]:
    """The host speaks to everyone; here it can be said what to type."""
    try:
        yield
    except HostSaid as error:
        if error.values.get("code") != code:
            raise
        raise ours from error
