"""Endpoints for a document that should change a company's context.

Handed in here, it goes the same way as a file sent with `/update-context`, and the person who handed it in
sees the outcome.
"""

import asyncio
from dataclasses import dataclass
from pathlib import PurePath

from starlette.requests import Request

from nanoclaw.channels.rooms import TERMINAL, WEB
from nanoclaw.channels.uploads import Uploads
from nanoclaw.console import context_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.context_views import show_proposals
from nanoclaw.console.markdown import to_html
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.owner import OWNER
from nanoclaw.console.shape import COMMAND_LINE, VIA
from nanoclaw.domain.context_files import AREAS, DOCUMENT_KINDS, MOST_DOCUMENT_BYTES, RHYTHMS, files_named
from nanoclaw.domain.errors import NotFound, Refused, TooBig
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.messages import Chat, File, FileKind, Incoming
from nanoclaw.domain.text import storable, tidy_file_name
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import history, people, proposals, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.documents import Unreadable
from nanoclaw.texts import tell

_UNDER_WAY = (history.WAITING, history.RUNNING, history.HELD)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Document:
    name: str
    content: bytes


async def hand_in(request: Request, console: Console) -> shapes.DocumentReading:
    asked = shapes.WantedDocument.model_validate(dict(request.query_params))
    words = asked.about.strip()
    if words and not files_named(words):
        raise NotFound("context-no-place", name=words[:80], areas=", ".join(AREAS), known=", ".join(RHYTHMS))
    company = asked.company or console.groups.main().company
    group = console.proposals.group_for(company)  # refuses a company that no agent group works for
    document = await _document(request, console, asked.name)
    channel = TERMINAL if request.headers.get(VIA) == COMMAND_LINE else WEB
    chat = await console.store.write(lambda tx: room_of(tx, channel, group, company))
    file_id = await asyncio.to_thread(Uploads(console.home).keep, document.content)
    message_id = await console.receive(
        Incoming(
            kind=ChatKind.PRIVATE,
            addressed=True,
            channel=chat.channel,
            address=chat.address,
            external_id=file_id,
            handle=OWNER,
            sender=console.owner_name,
            text=f"/update-context {words}".strip(),
            sent_at=now(),
            files=(
                File(
                    kind=FileKind.DOCUMENT,
                    name=document.name,
                    media_type="application/octet-stream",
                    ref=file_id,
                    part_of=file_id,
                    size=len(document.content),
                ),
            ),
        )
    )
    return await console.store.read(lambda tx: _reading(tx, message_id))


async def get_reading(request: Request, console: Console) -> shapes.DocumentReading:
    return await console.store.read(lambda tx: _reading(tx, storable(request.path_params["message"])))


async def _document(request: Request, console: Console, name: str) -> _Document:
    """Refuse documents that no box needs to look at, in the words an agent would use."""
    tidy = tidy_file_name(name, "document")
    try:
        if PurePath(tidy).suffix.lower() not in DOCUMENT_KINDS:
            raise Unreadable("document-kind")
        content = await read_body(request, MOST_DOCUMENT_BYTES, "document-too-big")
        if not content.strip():
            raise Unreadable("document-empty")
    except (Unreadable, TooBig) as error:
        language = (await console.store.read(console.locale_of_owner)).speaks
        kind = TooBig if isinstance(error, TooBig) else Refused
        raise kind("said", said=f"{tidy}: {tell(language, error)}") from None
    return _Document(name=tidy, content=content)


def room_of(tx: Tx, channel: str, group: str, company: str) -> Chat:
    """Where this group answers the owner on this machine; created for a company that has none yet."""
    wired = [people.chat(tx, each) for each in wirings.chats_wired_to(tx, group)]
    found = {chat.channel: chat for chat in reversed(wired) if chat and chat.channel in (TERMINAL, WEB)}
    if known := found.get(channel) or found.get(WEB):
        return known
    made = people.add_chat(tx, channel=WEB, address=new_id("r"), title=company, at=now())
    wirings.wire(tx, made.id, made.kind, group, now())
    return made


def _reading(tx: Tx, message_id: str) -> shapes.DocumentReading:
    found = history.messages_by_id(tx, [message_id])
    if not found:
        raise NotFound("no-such-message")
    message = found[0]
    is_over = message.state not in _UNDER_WAY
    # Cards are not repeated: the proposals say it all.
    answers = [each.text for each in history.said_to(tx, message_id) if not each.buttons]
    said = "\n\n".join(answers) if is_over else ""
    return shapes.DocumentReading(
        id=message.id,
        room=message.chat_id,
        is_over=is_over,
        said=said,
        html=to_html(said),
        proposals=show_proposals(tx, proposals.of_turn(tx, message.turn)) if message.turn else [],
    )


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/api/context-documents",
        summary="Hand in a document (the body) from which changes are proposed: PDF, Word, Markdown",
        answer=hand_in,
        asks=shapes.WantedDocument,
        takes_file=True,
        gives=shapes.DocumentReading,
        status=202,
    ),
    Endpoint(
        method="GET",
        path="/api/context-documents/{message}",
        summary="What has come of a document so far",
        answer=get_reading,
        gives=shapes.DocumentReading,
    ),
)
