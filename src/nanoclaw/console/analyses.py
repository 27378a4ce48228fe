"""Endpoints for analyses: a document comes back, is matched, its decisions are adopted, and all of it can be
undone.
"""

from dataclasses import dataclass

from starlette.requests import Request

from nanoclaw.channels.rooms import TERMINAL, WEB
from nanoclaw.console import transfer_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.context_documents import room_of
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.shape import COMMAND_LINE
from nanoclaw.console.transfer_views import show_analysis
from nanoclaw.domain.context_files import MOST_DOCUMENT_BYTES
from nanoclaw.domain.errors import NotFound, Refused, TooBig
from nanoclaw.domain.people import Actor
from nanoclaw.domain.text import storable, tidy_file_name
from nanoclaw.domain.transfers import Analysis
from nanoclaw.durable import analyses, transfers
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.documents import Unreadable
from nanoclaw.texts import tell

_MOST_OPEN = 200  # transfers examined


@dataclass(frozen=True, kw_only=True, slots=True)
class _ReportChat:
    """Where news about a document is posted."""

    group: str
    chat_id: str
    thread: str | None = None
    transfer: str | None = None


async def bring(request: Request, console: Console) -> shapes.Analysis:
    asked = shapes.WantedImport.model_validate(dict(request.query_params))
    place = await console.act(request, lambda tx, by: _place(tx, console, asked, by))
    by, name = await console.actor_of(request), tidy_file_name(asked.name, "analysis")
    try:
        brought = await console.transfers.analyses.bring(
            by=by,
            group=place.group,
            chat_id=place.chat_id,
            thread=place.thread,
            name=name,
            content=await read_body(request, MOST_DOCUMENT_BYTES, "document-too-big"),
            via="terminal" if by.via == COMMAND_LINE else "page",
            transfer=place.transfer,
        )
    except (Unreadable, TooBig) as error:  # their sentences begin with the name
        kind = TooBig if isinstance(error, TooBig) else Refused
        raise kind("said", said=f"{name}: {tell(await console.language(), error)}") from None
    return await _shown(console, brought.id)


async def get_analysis(request: Request, console: Console) -> shapes.Analysis:
    return await _shown(console, storable(request.path_params["analysis"]))


async def match(request: Request, console: Console) -> shapes.Analysis:
    asked = shapes.Match.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> str:
        analysis = _found(tx, request.path_params["analysis"])
        transfer = console.transfers.changes.find(tx, by, asked.transfer.strip().lower())
        console.transfers.analyses.match(tx, analysis.id, transfer.id, by, now())
        return analysis.id

    return await _shown(console, await console.act(request, story))


async def decide(request: Request, console: Console) -> shapes.Analysis:
    asked = shapes.Adopted.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> str:
        analysis = _found(tx, request.path_params["analysis"])
        console.transfers.analyses.decide(tx, analysis.id, asked.adopted, by, now())
        return analysis.id

    return await _shown(console, await console.act(request, story))


async def undo(request: Request, console: Console) -> shapes.Undone:
    def story(tx: Tx, by: Actor) -> shapes.Undone:
        analysis = _found(tx, request.path_params["analysis"])
        counts = console.transfers.analyses.undo(tx, analysis.id, by, now())
        after = _found(tx, analysis.id)
        return shapes.Undone(
            analysis=show_analysis(tx, after, console.locale_of_owner(tx).speaks), counts=counts
        )

    return await console.act(request, story)


def _place(tx: Tx, console: Console, asked: shapes.WantedImport, by: Actor) -> _ReportChat:
    """The chat of the named transfer; otherwise, if only one company waits for something, that of its newest."""
    if asked.transfer:
        named = console.transfers.changes.find(tx, by, asked.transfer.strip().lower())
        return _ReportChat(group=named.group, chat_id=named.chat_id, thread=named.thread, transfer=named.id)
    waiting = transfers.latest(tx, is_open=True, limit=_MOST_OPEN)
    if not asked.group and len({each.company for each in waiting}) == 1:
        newest = waiting[0]
        return _ReportChat(group=newest.group, chat_id=newest.chat_id, thread=newest.thread)
    group = console.groups.get(asked.group) if asked.group else console.groups.main()
    channel = TERMINAL if by.via == COMMAND_LINE else WEB
    return _ReportChat(group=group.name, chat_id=room_of(tx, channel, group.name, group.company).id)


def _found(tx: Tx, ref: str) -> Analysis:
    analysis = analyses.get(tx, storable(ref).strip().lower())
    if analysis is None:
        raise NotFound("no-such-analysis", id=ref[:40])
    return analysis


async def _shown(console: Console, analysis_id: str) -> shapes.Analysis:
    def look(tx: Tx) -> shapes.Analysis:
        return show_analysis(tx, _found(tx, analysis_id), console.locale_of_owner(tx).speaks)

    return await console.store.read(look)


_ANALYSIS = "/api/analyses/{analysis}"

ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/api/transfers/import",
        summary="Bring an analysis back: the body is the document (Markdown, PDF, Word, HTML, text, zip)",
        answer=bring,
        asks=shapes.WantedImport,
        takes_file=True,
        gives=shapes.Analysis,
        status=202,
    ),
    Endpoint(
        method="GET",
        path=_ANALYSIS,
        summary="An analysis: what was found in it, each with its source, and what became of it",
        answer=get_analysis,
        gives=shapes.Analysis,
    ),
    Endpoint(
        method="POST",
        path=f"{_ANALYSIS}/match",
        summary="Say to which transfer it belongs",
        answer=match,
        takes=shapes.Match,
        gives=shapes.Analysis,
    ),
    Endpoint(
        method="POST",
        path=f"{_ANALYSIS}/decide",
        summary="Adopt these of its decisions, by their numbers, and leave the others",
        answer=decide,
        takes=shapes.Adopted,
        gives=shapes.Analysis,
    ),
    Endpoint(
        method="POST",
        path=f"{_ANALYSIS}/undo",
        summary="Take back all that came of it",
        answer=undo,
        gives=shapes.Undone,
    ),
)
