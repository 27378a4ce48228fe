"""Endpoints for what companies know. Whoever holds the token searches and changes it as the owner of this machine."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from starlette.requests import Request

from nanoclaw.console import memory_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.memory_views import show_change, show_entries, show_entry, show_story
from nanoclaw.console.openapi import Endpoint
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind
from nanoclaw.domain.news import EVERY_CHAT
from nanoclaw.domain.people import Actor
from nanoclaw.domain.text import storable
from nanoclaw.durable import memory_changes, memory_entries
from nanoclaw.durable.memory_changes import Change, ChangeState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.knowledge.commands import OWN_KINDS
from nanoclaw.flows.knowledge.reason_text import reason_sentence

T = TypeVar("T")

_PATIENCE = 5.0  # seconds for the company's writer, which may be busy, or at another host
_SHOWN = 60


# Searching


async def search(request: Request, console: Console) -> shapes.MemoryList:
    asked = shapes.MemorySearched.model_validate(dict(request.query_params))
    companies, company = await _companies(console, asked.company)
    wanted = EntryFilter(
        kinds=(EntryKind(asked.kind),) if asked.kind else OWN_KINDS,
        topic=asked.topic,
        domain=asked.domain,
        person=await _handle(console, asked.person),
        source=asked.source,
        trusted=asked.trusted,
        since=asked.since,
        until=asked.until,
        with_past=asked.past,
    )
    found = await console.memory_search.find(
        company, asked.words, filter=wanted, limit=asked.limit + 1, offset=asked.offset
    )
    entries = [hit.entry for hit in found]
    shown = await console.store.read(lambda tx: show_entries(tx, entries[: asked.limit]))
    return shapes.MemoryList(
        company=company, companies=companies, entries=shown, more=len(entries) > asked.limit
    )


async def _handle(console: Console, person: str) -> str:
    """A person is meant by handle, number or `@name`; unknown ones may still stand in the files."""
    if not person:
        return ""
    return await console.store.read(lambda tx: console.memory_changes.handle_of(tx, person))


async def get_story(request: Request, console: Console) -> shapes.MemoryStory:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    entry = await _found(request, console, asked.company)
    line = await asyncio.to_thread(console.memory_upkeep.line_of, entry)
    return await console.store.read(
        lambda tx: show_story(tx, entry, line, console.locale_of_owner(tx), console.channels)
    )


# Changing


async def add(request: Request, console: Console) -> shapes.MemoryResult:
    asked = shapes.NewMemory.model_validate_json(await read_body(request))
    _, company = await _companies(console, asked.company)

    def story(tx: Tx, by: Actor) -> str:
        return console.memory_changes.remember(
            tx,
            by,
            company,
            asked.text,
            kind=EntryKind(asked.kind),
            topic=asked.topic,
            domain=asked.domain,
            public=asked.public,
            expires=asked.expires,
        )

    return await _changed(request, console, company, story)


async def correct(request: Request, console: Console) -> shapes.MemoryResult:
    asked = shapes.MemoryText.model_validate_json(await read_body(request))
    entry = await _found_to_change(request, console)
    changes = console.memory_changes
    return await _changed(
        request,
        console,
        entry.company,
        lambda tx, by: changes.correct(tx, by, entry.company, entry.id, asked.text).entry_id,
    )


async def forget(request: Request, console: Console) -> shapes.MemoryResult:
    entry = await _found_to_change(request, console)
    changes = console.memory_changes
    return await _changed(
        request, console, entry.company, lambda tx, by: changes.forget(tx, by, entry.company, entry.id).entry_id
    )


async def restore(request: Request, console: Console) -> shapes.MemoryResult:
    """Undo a forgetting, or the correction that replaced it."""
    entry = await _found_to_change(request, console)
    changes = console.memory_changes
    return await _changed(
        request, console, entry.company, lambda tx, by: changes.restore(tx, by, entry.company, entry.id)
    )


async def revert(request: Request, console: Console) -> shapes.MemoryReverted:
    asked = shapes.MemoryRevert.model_validate_json(await read_body(request))
    _, company = await _companies(console, asked.company)

    def story(tx: Tx, by: Actor) -> list[shapes.MemoryEntry]:
        found = console.memory_changes.revert(
            tx, by, company, turn=asked.turn, person=asked.person, since=asked.since, preview=asked.preview
        )
        return show_entries(tx, found)

    entries = await _written(console, company, console.act(request, story))
    return shapes.MemoryReverted(company=company, preview=asked.preview, entries=entries)


async def _changed(
    request: Request, console: Console, company: str, story: Callable[[Tx, Actor], str]
) -> shapes.MemoryResult:
    """With what became of it, if the company's writer has done it by then."""
    entry_id = await _written(console, company, console.act(request, story))

    def look(tx: Tx) -> shapes.MemoryResult:
        language = console.locale_of_owner(tx).speaks
        last = next(reversed(memory_changes.of_entry(tx, company, entry_id)), None)
        entry = memory_entries.get(tx, company, entry_id)
        return shapes.MemoryResult(
            id=entry_id,
            state=last.state if last else ChangeState.WRITTEN,
            reason=reason_sentence(language, last) if last else None,
            entry=entry and show_entry(tx, entry),
        )

    return await console.store.read(look)


async def _written(console: Console, company: str, act: Awaitable[T]) -> T:
    """What was asked of memory is written, or the writer takes its time and does it later all the same."""
    with console.live.watch(EVERY_CHAT) as heard:
        done = await act
        last = new_id("y")

        def waits(tx: Tx) -> bool:
            first = memory_changes.waiting(tx, company, 1)
            return bool(first) and first[0].id < last

        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while await console.store.read(waits):
                    await heard.get()
    return done


async def _companies(console: Console, wanted: str | None) -> tuple[list[str], str]:
    """All of them, and the one that is meant."""
    known = await asyncio.to_thread(console.group_creation.companies)
    main = console.groups.main().company
    company = storable(wanted) if wanted else main
    if company not in known:
        raise NotFound("no-such-company", company=company[:_SHOWN], known=", ".join(known))
    return known, company


async def _found(request: Request, console: Console, wanted: str | None) -> Entry:
    """Without a company, in any of them: an id is made by chance, and a link names nothing else."""
    ref = storable(request.path_params["entry"])
    known, main = await _companies(console, wanted)
    places = [main] if wanted else [main, *(each for each in known if each != main)]

    def look(tx: Tx) -> Entry:
        for company in places:
            if found := memory_entries.get(tx, company, ref):
                return found
        for company in places:
            with suppress(NotFound):
                return console.memory_changes.find(tx, company, ref)
        raise NotFound("no-such-memory", id=ref[:_SHOWN])

    return await console.store.write(look)


async def _found_to_change(request: Request, console: Console) -> Entry:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    return await _found(request, console, asked.company)


# Quarantine


async def list_quarantine(request: Request, console: Console) -> shapes.MemoryQuarantine:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    companies, company = await _companies(console, asked.company)

    def look(tx: Tx) -> shapes.MemoryQuarantine:
        locale = console.locale_of_owner(tx)
        found = [show_change(tx, change, locale) for change in memory_changes.quarantined(tx, company)]
        return shapes.MemoryQuarantine(company=company, companies=companies, changes=found)

    return await console.store.read(look)


async def drop(request: Request, console: Console) -> shapes.MemoryChange:
    return await _quarantined(request, console, console.quarantine.drop)


async def mend(request: Request, console: Console) -> shapes.MemoryResult:
    asked = shapes.MendedLine.model_validate_json(await read_body(request))
    change_id = storable(request.path_params["change"])
    company = await console.store.read(lambda tx: console.quarantine.find(tx, change_id).company)
    return await _changed(
        request, console, company, lambda tx, by: console.quarantine.mend(tx, by, change_id, asked.line)
    )


async def _quarantined(
    request: Request, console: Console, act: Callable[[Tx, Actor, str], Change]
) -> shapes.MemoryChange:
    change_id = storable(request.path_params["change"])
    return await console.act(
        request, lambda tx, by: show_change(tx, act(tx, by, change_id), console.locale_of_owner(tx))
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/memory",
        summary="What a company knows: what fits the words, or the newest; `offset` and `limit` page on",
        answer=search,
        asks=shapes.MemorySearched,
        gives=shapes.MemoryList,
    ),
    Endpoint(
        method="POST",
        path="/api/memory",
        summary="Remember something",
        answer=add,
        takes=shapes.NewMemory,
        gives=shapes.MemoryResult,
        status=201,
    ),
    Endpoint(
        method="GET",
        path="/api/memory/entries/{entry}",
        summary="The story of an entry, by its id or the end of it: who said it, what it replaced, where it was used",
        answer=get_story,
        asks=shapes.OfCompany,
        gives=shapes.MemoryStory,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/entries/{entry}/correct",
        summary="Replace an entry by what is right",
        answer=correct,
        asks=shapes.OfCompany,
        takes=shapes.MemoryText,
        gives=shapes.MemoryResult,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/entries/{entry}/forget",
        summary="Forget an entry; it can be restored",
        answer=forget,
        asks=shapes.OfCompany,
        gives=shapes.MemoryResult,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/entries/{entry}/restore",
        summary="Undo a forgetting, or the correction that replaced the entry",
        answer=restore,
        asks=shapes.OfCompany,
        gives=shapes.MemoryResult,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/revert",
        summary="Take back everything that came from a turn, from a person, or since a moment; a preview changes nothing",
        answer=revert,
        takes=shapes.MemoryRevert,
        gives=shapes.MemoryReverted,
    ),
    Endpoint(
        method="GET",
        path="/api/memory/quarantine",
        summary="Lines that could not be used, with the reason, newest first",
        answer=list_quarantine,
        asks=shapes.OfCompany,
        gives=shapes.MemoryQuarantine,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/quarantine/{change}/drop",
        summary="Drop a line that could not be used",
        answer=drop,
        gives=shapes.MemoryChange,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/quarantine/{change}/mend",
        summary="Add a line after mending it: a JSON object, or plain words for a fact",
        answer=mend,
        takes=shapes.MendedLine,
        gives=shapes.MemoryResult,
    ),
)
