"""What the endpoints of memory share: finding the company and entry that is meant, and waiting until a change
is written.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

from starlette.requests import Request

from nanoclaw.console.console import Console
from nanoclaw.delivery.live import LiveEvent
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.memory import Entry
from nanoclaw.domain.news import EVERY_CHAT
from nanoclaw.domain.text import storable
from nanoclaw.durable import memory_changes, memory_entries
from nanoclaw.durable.memory_changes import Change, ChangeState
from nanoclaw.durable.store import Tx

T = TypeVar("T")

_PATIENCE = 10.0  # seconds for the company's writer, which may be busy
_GLANCE = 1.0  # the writer may be on another host, whose news does not reach this one
_SHORTEST = 4  # letters of a shortened id
_SHOWN = 60


async def companies_of(console: Console, wanted: str | None) -> tuple[list[str], str]:
    """All companies, and the one that is meant: without a name that of the main agent group."""
    known = await asyncio.to_thread(console.group_creation.companies)
    company = storable(wanted) if wanted else console.groups.main().company
    if company not in known:
        raise NotFound("memory-no-company", company=company[:_SHOWN], known=", ".join(known))
    return known, company


async def find_entry(request: Request, console: Console, wanted: str | None) -> Entry:
    """Find an entry by its id, or the end of it. Without a company, in any of them: a link contains only the id."""
    ref = storable(request.path_params["entry"])
    known, main = await companies_of(console, wanted)
    places = [main] if wanted else [main, *(each for each in known if each != main)]

    def look(tx: Tx) -> Entry:
        for company in places:
            if found := memory_entries.get(tx, company, ref):
                return found
        ending = [
            found
            for company in places
            for found in memory_entries.named(tx, company, ref)
            if len(ref) >= _SHORTEST
        ]
        if len(ending) > 1:
            raise NotFound("several-memories", id=ref[:_SHOWN], known=", ".join(each.id for each in ending))
        if not ending:
            raise NotFound("no-such-memory", id=ref[:_SHOWN])
        return ending[0]

    return await console.store.read(look)


async def written(console: Console, company: str, act: Awaitable[T]) -> T:
    """Wait until what `act` asked of memory is written, or the writer takes too long and does it later."""
    done = await act
    last = new_id("y")

    def waits(tx: Tx) -> bool:
        first = memory_changes.waiting(tx, company, 1)
        return bool(first) and first[0].id < last

    with suppress(TimeoutError), console.live.watch(EVERY_CHAT) as heard:
        async with asyncio.timeout(_PATIENCE):
            while await console.store.read(waits):
                await _news(heard)
    return done


async def settled(console: Console, change_id: str, patience: float) -> Change:
    """The change once it is settled, or as it is when patience ends."""

    def look(tx: Tx) -> Change:
        found = memory_changes.get(tx, change_id)
        if found is None:
            raise NotFound("no-such-memory", id=change_id)
        return found

    with suppress(TimeoutError), console.live.watch(EVERY_CHAT) as heard:
        async with asyncio.timeout(patience):
            while (await console.store.read(look)).state is ChangeState.WAITING:
                await _news(heard)
    return await console.store.read(look)


async def _news(heard: "asyncio.Queue[LiveEvent]") -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(_GLANCE):
            await heard.get()
