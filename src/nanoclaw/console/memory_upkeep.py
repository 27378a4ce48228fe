"""Endpoints for memory as a whole: how much there is, whether it is sound, import, maintenance, purging, CLAUDE.md."""

import asyncio
from functools import partial

from starlette.requests import Request

from nanoclaw.console import memory_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.memory_lookup import companies_of, find_entry, settled, written
from nanoclaw.console.memory_notes import read_notes
from nanoclaw.console.openapi import Endpoint
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.memory import EntryState
from nanoclaw.domain.people import Actor
from nanoclaw.domain.text import storable
from nanoclaw.durable import memory_figures
from nanoclaw.durable.memory_changes import Change, ChangeState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.knowledge.imports import Taken
from nanoclaw.flows.knowledge.reason_text import fault_sentence, report_sentence
from nanoclaw.memory.claude_md import FILE
from nanoclaw.memory.verification import Problem, ProblemKind, verify
from nanoclaw.texts import say

_MOST_PROBLEMS = 1000
_LONG = 50.0  # seconds: shorter than a client waits


async def show_stats(request: Request, console: Console) -> shapes.MemoryStats:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    companies, company = await companies_of(console, asked.company)
    found = await console.store.read(partial(memory_figures.totals, company=company))
    files = await asyncio.to_thread(_files, console, company)
    counts = [
        shapes.MemoryCount(kind=kind, state=state, count=count)
        for (kind, state), count in sorted(found.counts.items(), key=lambda each: each[0])
    ]
    live = sum(count for (_, state), count in found.counts.items() if state is EntryState.LIVE)
    return shapes.MemoryStats.of(
        found, company=company, companies=companies, live=live, counts=counts, files=files
    )


def _files(console: Console, company: str) -> list[shapes.MemoryFile]:
    folder = console.memory.files.folder(company)
    found = []
    for name in [FILE, *console.memory.files.files(company)]:
        path = folder / name
        if path.is_file() and not path.is_symlink():
            count = None if name == FILE else sum(1 for _ in console.memory.files.raw_lines(company, name))
            found.append(shapes.MemoryFile(name=name, bytes=path.stat().st_size, lines=count))
    return found


async def show_notes(request: Request, console: Console) -> shapes.MemoryNotes:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    companies, company = await companies_of(console, asked.company)
    sections, changed_at = await asyncio.to_thread(read_notes, console.memory.files, company)
    return shapes.MemoryNotes(
        company=company,
        companies=companies,
        path=f"companies/{company}/{FILE}",
        sections=sections,
        changed_at=changed_at,
    )


async def check(request: Request, console: Console) -> shapes.MemoryVerified:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    _, company = await companies_of(console, asked.company)
    indexed = await console.store.read(lambda tx: memory_figures.ids_in_lines(tx, company))
    problems = await asyncio.to_thread(verify, console.home, company, indexed)
    language = (await console.store.read(console.locale_of_owner)).speaks
    return shapes.MemoryVerified(
        company=company,
        ok=not any(problem.is_fault for problem in problems),
        entries=len(indexed),
        problems=[_problem(language, problem) for problem in problems[:_MOST_PROBLEMS]],
    )


def _problem(language: str, problem: Problem) -> shapes.MemoryProblem:
    place = f"{problem.file}:{problem.line}" if problem.line else problem.file
    reason, _, field = problem.detail.partition(": ")
    detail = (
        fault_sentence(language, reason, field) if problem.kind is ProblemKind.BAD_LINE else problem.detail
    )
    return shapes.MemoryProblem(
        kind=problem.kind,
        is_fault=problem.is_fault,
        where=place or problem.id,
        sentence=say(language, f"memory-problem-{problem.kind}", id=problem.id, detail=detail),
    )


async def take_in(request: Request, console: Console) -> shapes.MemoryImported:
    asked = shapes.MemoryImport.model_validate_json(await read_body(request))
    _, company = await companies_of(console, asked.company)
    imports, by = console.memory.imports, await console.store.read(console.actor)
    content = storable(asked.text).encode()
    found = await asyncio.to_thread(imports.read, by, company, asked.name, content)

    def story(tx: Tx, by: Actor) -> Taken:
        return imports.take(tx, by, company, found, preview=asked.preview)

    done = await written(console, company, console.act(request, story))
    language = by.language
    return shapes.MemoryImported(
        company=company,
        preview=asked.preview,
        taken=done.taken,
        known=done.known,
        refused=[
            shapes.RefusedLine(line=bad.offset, reason=fault_sentence(language, bad.reason, bad.field))
            for bad in done.bad[:_MOST_PROBLEMS]
        ],
    )


async def maintain(request: Request, console: Console, *, action: str) -> shapes.MemoryMaintained:
    asked = shapes.OfCompany.model_validate(dict(request.query_params))
    _, company = await companies_of(console, asked.company)
    changes = console.memory.changes
    act = changes.maintain if action == "compact" else changes.rebuild
    change = await settled(console, await console.act(request, lambda tx, by: act(tx, by, company)), _LONG)
    count = await console.store.read(lambda tx: memory_figures.count_in_lines(tx, company))
    language = (await console.store.read(console.locale_of_owner)).speaks
    sentence = report_sentence(language, change, entries=count)
    return shapes.MemoryMaintained(company=company, state=change.state, sentence=sentence)


async def purge(request: Request, console: Console) -> shapes.MemoryPurged:
    """The whole id must be repeated: nothing brings it back."""
    asked = shapes.MemoryPurge.model_validate_json(await read_body(request))
    wanted = shapes.OfCompany.model_validate(dict(request.query_params))
    entry = await find_entry(request, console, wanted.company)
    if asked.confirm.strip() != entry.id:
        raise Refused("memory-purge-confirm", id=entry.id)

    def story(tx: Tx, by: Actor) -> str:
        return console.memory.changes.purge(tx, by, entry.company, entry.id)

    change = await settled(console, await console.act(request, story), _LONG)
    language = (await console.store.read(console.locale_of_owner)).speaks
    return _purged(language, entry.id, change)


def _purged(language: str, entry_id: str, change: Change) -> shapes.MemoryPurged:
    found = change.reason or {}
    if change.state is ChangeState.REFUSED:
        raise Refused("memory-purge-failed", why=str(found.get("fault", "?")))
    return shapes.MemoryPurged(
        id=entry_id,
        state=change.state,
        still_in=list(found.get("still_in", ())),
        history=say(language, f"error-{found['git']}") if "git" in found else None,
        commands=list(found.get("commands", ())),
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/memory/stats",
        summary="How much a company remembers, by kind and state, and its files",
        answer=show_stats,
        asks=shapes.OfCompany,
        gives=shapes.MemoryStats,
    ),
    Endpoint(
        method="GET",
        path="/api/memory/verify",
        summary="Whether the files of a company's memory are sound, and the index says what they say",
        answer=check,
        asks=shapes.OfCompany,
        gives=shapes.MemoryVerified,
    ),
    Endpoint(
        method="GET",
        path="/api/memory/notes",
        summary="CLAUDE.md of a company, section by section",
        answer=show_notes,
        asks=shapes.OfCompany,
        gives=shapes.MemoryNotes,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/import",
        summary="Take in the content of a file: lines of JSON, or Markdown or plain text; or show what would be taken",
        answer=take_in,
        takes=shapes.MemoryImport,
        gives=shapes.MemoryImported,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/compact",
        summary="Put the files in order now: duplicates, what has expired, and the archive",
        answer=partial(maintain, action="compact"),
        asks=shapes.OfCompany,
        gives=shapes.MemoryMaintained,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/rebuild",
        summary="Build the index anew from the files",
        answer=partial(maintain, action="rebuild"),
        asks=shapes.OfCompany,
        gives=shapes.MemoryMaintained,
    ),
    Endpoint(
        method="POST",
        path="/api/memory/entries/{entry}/purge",
        summary="Really remove an entry: from the files, the index and the local git history",
        answer=purge,
        asks=shapes.OfCompany,
        takes=shapes.MemoryPurge,
        gives=shapes.MemoryPurged,
    ),
)
