"""Endpoints for what companies know. Whoever holds the token searches and changes it as the owner of this machine."""

import asyncio
from collections.abc import Callable

from starlette.requests import Request

from nanoclaw.console import memory_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.memory_lookup import companies_of, find_entry, written
from nanoclaw.console.memory_views import line_of, show_change, show_entries, show_entry, show_story
from nanoclaw.console.openapi import Endpoint
from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind
from nanoclaw.domain.people import Actor
from nanoclaw.domain.shown_text import unmarked
from nanoclaw.domain.text import storable
from nanoclaw.durable import memory_changes, memory_entries, people
from nanoclaw.durable.memory_changes import ChangeState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.knowledge.commands import OWN_KINDS
from nanoclaw.flows.knowledge.reason_text import reason_sentence

# Searching


async def search(request: Request, console: Console) -> shapes.MemoryList:
    asked = shapes.MemorySearched.model_validate(dict(request.query_params))
    companies, company = await companies_of(console, asked.company)
    wanted = EntryFilter(
        kinds=_kinds(asked),
        topic=asked.topic,
        domain=asked.domain,
        person=await console.store.read(lambda tx: _handle(tx, asked.person)),
        source=asked.source,
        trusted=asked.trusted,
        since=asked.since,
        until=asked.until,
        with_past=asked.past,
        by_own_words=True,
        without_presses=not asked.kind and not asked.words.strip(),
    )
    found = await console.memory.search.find(
        company, asked.words, filter=wanted, limit=asked.limit + 1, offset=asked.offset
    )
    entries = [hit.entry for hit in found]
    shown = await console.store.read(lambda tx: show_entries(tx, entries[: asked.limit]))
    return shapes.MemoryList(
        company=company, companies=companies, entries=shown, more=len(entries) > asked.limit
    )


def _kinds(asked: shapes.MemorySearched) -> tuple[EntryKind, ...]:
    """Without activity by default: every answer leaves a line of it, and a look at what is new would show
    nothing else.
    """
    if asked.kind:
        return (EntryKind(asked.kind),)
    return (
        OWN_KINDS
        if asked.words.strip()
        else tuple(each for each in OWN_KINDS if each is not EntryKind.ACTIVITY)
    )


def _handle(tx: Tx, person: str) -> str:
    """A person by handle, number, `@name` or name; unknown ones may still occur in the files."""
    if not person:
        return ""
    named = [each for each in people.everyone(tx) if each.name.casefold() == person.casefold()]
    known = people.known_as(tx, person) or named
    return known[0].handle if len(known) == 1 else person


async def get_story(request: Request, console: Console) -> shapes.MemoryStory:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    entry = await find_entry(request, console, asked.company)
    line = await asyncio.to_thread(line_of, console.memory.files, entry)
    return await console.store.read(
        lambda tx: show_story(tx, entry, line, console.locale_of_owner(tx), console.channels)
    )


# Changing


async def add(request: Request, console: Console) -> shapes.MemoryResult:
    asked = shapes.NewMemory.model_validate_json(await read_body(request))
    _, company = await companies_of(console, asked.company)

    def story(tx: Tx, by: Actor) -> str:
        return console.memory.changes.remember(
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
    entry = await _meant(request, console)
    changes = console.memory.changes
    return await _changed(
        request,
        console,
        entry.company,
        lambda tx, by: (
            changes.correct(tx, by, entry.company, entry.id, unmarked(asked.text, entry.text)).entry_id
        ),
    )


async def forget(request: Request, console: Console) -> shapes.MemoryResult:
    entry = await _meant(request, console)
    changes = console.memory.changes
    return await _changed(
        request,
        console,
        entry.company,
        lambda tx, by: changes.forget(tx, by, entry.company, entry.id).entry_id,
    )


async def restore(request: Request, console: Console) -> shapes.MemoryResult:
    """Undo a forgetting, or the correction that replaced it."""
    entry = await _meant(request, console)
    changes = console.memory.changes
    return await _changed(
        request, console, entry.company, lambda tx, by: changes.restore(tx, by, entry.company, entry.id)
    )


async def revert(request: Request, console: Console) -> shapes.MemoryReverted:
    asked = shapes.MemoryRevert.model_validate_json(await read_body(request))
    _, company = await companies_of(console, asked.company)

    def story(tx: Tx, by: Actor) -> list[shapes.MemoryEntry]:
        found = console.memory.changes.revert(
            tx, by, company, turn=asked.turn, person=asked.person, since=asked.since, preview=asked.preview
        )
        return show_entries(tx, found)

    entries = await written(console, company, console.act(request, story))
    return shapes.MemoryReverted(company=company, preview=asked.preview, entries=entries)


async def _changed(
    request: Request, console: Console, company: str, story: Callable[[Tx, Actor], str]
) -> shapes.MemoryResult:
    """The result of a change, if the company's writer has carried it out by then."""
    entry_id = await written(console, company, console.act(request, story))

    def look(tx: Tx) -> shapes.MemoryResult:
        language = console.locale_of_owner(tx).speaks
        last = next(reversed(memory_changes.of_entry(tx, company, entry_id)), None)
        entry = memory_entries.get(tx, company, entry_id)
        return shapes.MemoryResult(
            id=entry_id,
            state=last.state if last else ChangeState.WRITTEN,
            reason=reason_sentence(language, last) if last else None,
            entry=show_entry(tx, entry) if entry else None,
        )

    return await console.store.read(look)


async def _meant(request: Request, console: Console) -> Entry:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    return await find_entry(request, console, asked.company)


# Quarantine


async def list_quarantine(request: Request, console: Console) -> shapes.MemoryQuarantine:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    companies, company = await companies_of(console, asked.company)

    def look(tx: Tx) -> shapes.MemoryQuarantine:
        locale = console.locale_of_owner(tx)
        found = [show_change(tx, change, locale) for change in memory_changes.quarantined(tx, company)]
        return shapes.MemoryQuarantine(company=company, companies=companies, changes=found)

    return await console.store.read(look)


async def drop(request: Request, console: Console) -> shapes.MemoryChange:
    change_id = storable(request.path_params["change"])

    def story(tx: Tx, by: Actor) -> shapes.MemoryChange:
        dropped = console.memory.quarantine.drop(tx, by, change_id)
        return show_change(tx, dropped, console.locale_of_owner(tx))

    return await console.act(request, story)


async def mend(request: Request, console: Console) -> shapes.MemoryResult:
    asked = shapes.MendedLine.model_validate_json(await read_body(request))
    change_id = storable(request.path_params["change"])
    company = await console.store.read(lambda tx: console.memory.quarantine.find(tx, change_id).company)
    return await _changed(
        request,
        console,
        company,
        lambda tx, by: console.memory.quarantine.mend(tx, by, change_id, asked.line),
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
        summary="Take back everything that came from a turn, from a person, or since a moment; or show it first",
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
