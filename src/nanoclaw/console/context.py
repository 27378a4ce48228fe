"""Endpoints for a company's context. Whoever holds the token proposes and decides as the owner of this machine."""

import asyncio
from dataclasses import dataclass

from starlette.requests import Request

from nanoclaw.console import context_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.context_views import show_files, show_proposal, show_proposals, show_text
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.shape import COMMAND_LINE
from nanoclaw.domain.context_edits import changed_by_words
from nanoclaw.domain.context_files import RHYTHMS
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.people import Actor
from nanoclaw.domain.shown_text import unmarked
from nanoclaw.durable import proposals
from nanoclaw.durable.clock import now
from nanoclaw.durable.proposals import ProposalSource
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.files import diff
from nanoclaw.flows.company_context.proposals import ContextChange, ProposalPlace
from nanoclaw.texts import say

_MOST_PROPOSALS = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class _Named:
    company: str
    file: str


async def list_files(request: Request, console: Console) -> shapes.ContextList:
    asked = shapes.CompanyOf.model_validate(dict(request.query_params))
    company = _company(console, asked.company)
    changed = await asyncio.to_thread(console.context_versions.changed_at, company)
    companies = sorted(
        {found for name in console.groups.usable() if (found := console.groups.company_of(name))}
    )

    def look(tx: Tx) -> shapes.ContextList:
        language = console.locale_of_owner(tx).speaks
        return shapes.ContextList(
            company=company, companies=companies, files=show_files(tx, company, changed, language, now())
        )

    return await console.store.read(look)


async def get_file(request: Request, console: Console) -> shapes.ContextText:
    asked = shapes.CompanyOf.model_validate(dict(request.query_params))
    named = _named(request, console, asked.company)
    text = await asyncio.to_thread(console.context_files.read, named.company, named.file)
    changed = await asyncio.to_thread(console.context_versions.changed_at, named.company)

    def look(tx: Tx) -> shapes.ContextText:
        language = console.locale_of_owner(tx).speaks
        return show_text(tx, named.company, named.file, text, changed.get(named.file), language, now())

    return await console.store.read(look)


async def propose(request: Request, console: Console) -> shapes.Proposal:
    asked = shapes.WantedChange.model_validate_json(await read_body(request))
    named = _named(request, console, asked.company)
    if (asked.text is None) == (not asked.words):
        raise Refused("context-text-or-words")
    before = await asyncio.to_thread(console.context_files.read, named.company, named.file)
    if asked.text is not None:
        after = unmarked(asked.text, (before or "").replace("\r\n", "\n"))
    else:
        after = changed_by_words(before or "", asked.words or "")
    summary = asked.summary or asked.words or ""
    return await _propose(request, console, named, before, after, summary, replaces=asked.replaces)


async def delete(request: Request, console: Console) -> shapes.Proposal:
    asked = shapes.CompanyOf.model_validate(dict(request.query_params))
    named = _named(request, console, asked.company)
    before = await asyncio.to_thread(console.context_files.read, named.company, named.file)
    return await _propose(request, console, named, before, None, "")


async def restore(request: Request, console: Console) -> shapes.Proposal:
    asked = shapes.WantedVersion.model_validate_json(await read_body(request))
    named = _named(request, console, asked.company)
    before = await asyncio.to_thread(console.context_files.read, named.company, named.file)
    after = await _text_at(console, named, asked.version)
    if after is None:
        raise NotFound("no-such-version", version=asked.version, file=named.file)
    locale = await console.store.read(console.locale_of_owner)
    summary = say(locale.speaks, "context-restored", version=asked.version[:8])
    return await _propose(request, console, named, before, after, summary)


async def list_versions(request: Request, console: Console) -> shapes.VersionList:
    asked = shapes.CompanyOf.model_validate(dict(request.query_params))
    named = _named(request, console, asked.company)
    found = await asyncio.to_thread(console.context_versions.history, named.company, named.file)
    return shapes.VersionList(versions=[shapes.Version.of(each) for each in found])


async def get_version(request: Request, console: Console) -> shapes.VersionText:
    asked = shapes.VersionsOf.model_validate(dict(request.query_params))
    named, version = _named(request, console, asked.company), str(request.path_params["version"])
    text = await _text_at(console, named, version)
    other = (
        await _text_at(console, named, asked.against)
        if asked.against
        else await asyncio.to_thread(console.context_files.read, named.company, named.file)
    )
    return shapes.VersionText(file=named.file, version=version, text=text, diff=diff(text, other))


async def list_proposals(request: Request, console: Console) -> shapes.ProposalList:
    asked = shapes.CompanyOf.model_validate(dict(request.query_params))
    company = _company(console, asked.company)

    def look(tx: Tx) -> shapes.ProposalList:
        found = proposals.recent(tx, company, _MOST_PROPOSALS)
        return shapes.ProposalList(proposals=show_proposals(tx, found))

    return await console.store.read(look)


async def get_proposal(request: Request, console: Console) -> shapes.Proposal:
    wanted = str(request.path_params["proposal"])

    def look(tx: Tx) -> shapes.Proposal:
        found = proposals.get(tx, wanted)
        if found is None:
            raise NotFound("no-such-proposal", id=wanted[:60])
        return show_proposal(tx, found)

    return await console.store.read(look)


async def _propose(
    request: Request,
    console: Console,
    named: _Named,
    before: str | None,
    after: str | None,
    summary: str,
    *,
    replaces: str | None = None,
) -> shapes.Proposal:
    def story(tx: Tx, by: Actor) -> shapes.Proposal:
        _take_back(tx, console, named, replaces, by)
        change = ContextChange(
            company=named.company,
            file=named.file,
            before=before,
            after=after,
            summary=summary,
            source=ProposalSource.COMMAND_LINE if by.via == COMMAND_LINE else ProposalSource.PAGE,
        )
        place = ProposalPlace(group=console.proposals.group_for(named.company))
        return show_proposal(tx, console.proposals.propose(tx, by, change, place, now()))

    return await console.act(request, story)


def _take_back(tx: Tx, console: Console, named: _Named, proposal_id: str | None, by: Actor) -> None:
    """Someone rewrote it: only the new text is to be decided."""
    old = proposals.get(tx, proposal_id) if proposal_id else None
    if old and old.question_id and old.is_waiting and (old.company, old.file) == (named.company, named.file):
        console.question_decisions.cancel(tx, old.question_id, by, now())


async def _text_at(console: Console, named: _Named, version: str) -> str | None:
    return await asyncio.to_thread(console.context_versions.text_at, named.company, named.file, version)


def _company(console: Console, name: str | None) -> str:
    if name is None:
        return console.groups.main().company
    console.proposals.group_for(name)  # refuses a company that no agent group works for
    return name


def _named(request: Request, console: Console, company: str | None) -> _Named:
    """Only known names are accepted: anything else in a path leads nowhere."""
    file = f"{request.path_params['area']}/{request.path_params['name']}"
    if file not in RHYTHMS:
        raise NotFound("no-such-context-file", name=file[:80], known=", ".join(RHYTHMS))
    return _Named(company=_company(console, company), file=file)


_FILE = "/api/context/{area}/{name}"

ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/context",
        summary="The files of a company's context: purpose, age and rhythm, and whether they are stale",
        answer=list_files,
        asks=shapes.CompanyOf,
        gives=shapes.ContextList,
    ),
    Endpoint(
        method="GET",
        path="/api/context-proposals",
        summary="Proposed changes, newest first",
        answer=list_proposals,
        asks=shapes.CompanyOf,
        gives=shapes.ProposalList,
    ),
    Endpoint(
        method="GET",
        path="/api/context-proposals/{proposal}",
        summary="A proposed change as it stands; it is decided by its question",
        answer=get_proposal,
        gives=shapes.Proposal,
    ),
    Endpoint(
        method="GET",
        path=_FILE,
        summary="A file, and the changes to it that wait for a decision",
        answer=get_file,
        asks=shapes.CompanyOf,
        gives=shapes.ContextText,
    ),
    Endpoint(
        method="POST",
        path=_FILE,
        summary="Propose a change: people see the difference and decide",
        answer=propose,
        takes=shapes.WantedChange,
        gives=shapes.Proposal,
        status=201,
    ),
    Endpoint(
        method="DELETE",
        path=_FILE,
        summary="Propose to delete a file; only owners decide that",
        answer=delete,
        asks=shapes.CompanyOf,
        gives=shapes.Proposal,
    ),
    Endpoint(
        method="POST",
        path=f"{_FILE}/restore",
        summary="Propose what a file said in an earlier version",
        answer=restore,
        takes=shapes.WantedVersion,
        gives=shapes.Proposal,
        status=201,
    ),
    Endpoint(
        method="GET",
        path=f"{_FILE}/versions",
        summary="Who changed a file when, newest first, as git has it",
        answer=list_versions,
        asks=shapes.CompanyOf,
        gives=shapes.VersionList,
    ),
    Endpoint(
        method="GET",
        path=f"{_FILE}/versions/{{version}}",
        summary="What a file said then, compared with another version or with what it says now",
        answer=get_version,
        asks=shapes.VersionsOf,
        gives=shapes.VersionText,
    ),
)
