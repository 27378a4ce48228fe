"""How commands call a host's HTTP API: the running host, or a temporary one."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from nanoclaw.cli.database import owner_locale, settings_of, with_store
from nanoclaw.cli.options import guarded_home
from nanoclaw.client.connection import NO_SUCH_REF, Address
from nanoclaw.domain.errors import HostSaid, HostUnreachable, NotFound, NotRunning, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.host import host_lock, logs

T = TypeVar("T")


def through_host(ask: Callable[[Address], Awaitable[T]], *, patience: float = 0) -> tuple[T, Locale]:
    """The host's answer, and the owner's language and clock for showing it.

    A host started for this gets `patience` in seconds for the work it starts.
    """
    return _said(guarded_home(), ask, patience), locale_of_owner()


def locale_of_owner() -> Locale:
    """Read from the database itself, which exists once a host has run."""
    home = guarded_home()
    settings = settings_of(home)
    return with_store(home, settings, lambda tx: owner_locale(tx, settings))


def _said(home: Path, ask: Callable[[Address], Awaitable[T]], patience: float) -> T:
    settings = settings_of(home)
    if host_lock.find(home):
        with suppress(NotRunning, HostUnreachable):  # it is stopping right now
            return asyncio.run(_asked(home, ask))
    from nanoclaw.cli import temporary_host  # noqa: PLC0415 - a whole host is behind it, and most of the time one runs already

    logs.write_to_file(home, settings.log.level)
    return asyncio.run(temporary_host.through_host(home, settings, ask, patience=patience))


async def _asked(home: Path, ask: Callable[[Address], Awaitable[T]]) -> T:
    return await ask(Address.of(home))


@contextmanager
def reworded(reword: Callable[[str], str]) -> Iterator[None]:
    """The host words its refusals for someone who writes in a chat; here different things are typed."""
    try:
        yield
    except HostSaid as error:
        said = reword(str(error.values.get("said", "")))
        raise HostSaid(error.key, **{**error.values, "said": said}) from error


@contextmanager
def in_place_of(code: str, ours: Refused | NotFound) -> Iterator[None]:
    """Replace the host's refusal, which is worded for everyone: here we can say what to type. A name that the
    client did not even ask about, because nothing can have it, counts as missing too.
    """
    try:
        yield
    except NotFound as error:
        if error.key != NO_SUCH_REF or not isinstance(ours, NotFound):
            raise
        raise ours from error
    except HostSaid as error:
        if error.values.get("code") != code:
            raise
        raise ours from error
