"""Endpoints for rooms and what is said there: messages, files, buttons, and why a message ended as it did."""

import asyncio
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from nanoclaw.console import files, live, shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.owner import OWNER
from nanoclaw.console.shape import Accepted, PageOf
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.messages import Chat, Incoming, Press, Quote
from nanoclaw.domain.news import EVERY_CHAT, ChatChanged
from nanoclaw.domain.parcels import QUESTION, Button
from nanoclaw.domain.text import storable, tidy_name
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import history, people, restore_hold, wirings
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.why import explain
from nanoclaw.flows.live.room import is_room

_LONGEST_QUOTE = 500


async def start_page(_request: Request, console: Console) -> shapes.Start:
    def story(tx: Tx) -> shapes.Start:
        return shapes.Start(
            timezone=console.locale_of_owner(tx).zone.key,
            owner=console.owner_name,
            handle=OWNER,
            held=restore_hold.read(tx) is not None,
            rooms=rooms_of(tx, console).rooms,
        )

    return await console.store.read(story)


# Rooms


async def list_rooms(_request: Request, console: Console) -> shapes.RoomList:
    return await console.store.read(lambda tx: rooms_of(tx, console))


def rooms_of(tx: Tx, console: Console) -> shapes.RoomList:
    return shapes.RoomList(
        rooms=[
            shapes.room(chat, at)
            for chat, at in people.chats_of(tx, console.channels)
            if not is_room(chat)  # those are on the page of sessions
        ]
    )


async def open_room(request: Request, console: Console) -> shapes.Room:
    title = await _title(request)

    def story(tx: Tx) -> Chat:
        address = new_id("r")
        chat = people.add_chat(tx, channel=console.channels[0], address=address, title=title, at=now())
        wirings.wire(tx, chat.id, chat.kind, console.groups.main().name, now())
        announce(tx, EVERY_CHAT, ChatChanged(chat.id))
        return chat

    return shapes.room(await console.store.write(story), None)


async def rename_room(request: Request, console: Console) -> shapes.Room:
    title = await _title(request)
    chat = await _room(request, console)

    def story(tx: Tx) -> shapes.Room:
        people.rename_chat(tx, chat.id, title)
        announce(tx, EVERY_CHAT, ChatChanged(chat.id))
        return shapes.room(*people.chat_with_time(tx, chat.id))

    return await console.store.write(story)


# Messages


async def list_messages(request: Request, console: Console) -> shapes.LinePage:
    chat = await _room(request, console)
    page = PageOf.model_validate(dict(request.query_params))
    items, more = await console.store.read(
        lambda tx: history.of_chat(tx, chat.id, before=page.before, limit=page.limit)
    )
    lines = await asyncio.to_thread(lambda: [shapes.line(item) for item in items])
    return shapes.LinePage(items=lines, more=more)


async def say_something(request: Request, console: Console) -> shapes.Line:
    """Responds only when the message is on disk."""
    new = shapes.NewMessage.model_validate_json(await read_body(request))
    chat = await _room(request, console)
    quote = await console.store.read(lambda tx: _quote(tx, chat, new.reply_to))
    message_id = await console.receive(
        Incoming(
            kind=ChatKind.PRIVATE,
            addressed=True,
            channel=chat.channel,
            address=chat.address,
            external_id=new.client_id,
            handle=OWNER,
            sender=console.owner_name,
            text=new.text,
            sent_at=now(),
            reply_to=quote,
        )
    )
    items = await console.store.read(lambda tx: history.messages_by_id(tx, [message_id]))
    return shapes.line(items[0])


def _quote(tx: Tx, chat: Chat, ref: str | None) -> Quote | None:
    if ref is None:
        return None
    found = [*history.messages_by_id(tx, [ref]), *history.parcels_by_id(tx, [ref])]
    if not found or found[0].chat_id != chat.id:
        raise NotFound("no-such-message")
    return Quote(ref=ref, sender=found[0].name or found[0].author, text=found[0].text[:_LONGEST_QUOTE])


async def press_button(request: Request, console: Console) -> shapes.ButtonPressed:
    """Press a button. A card without buttons was decided meanwhile; the host says by whom."""
    asked = shapes.ButtonPress.model_validate_json(await read_body(request))
    chat = await _room(request, console)
    line, data = storable(asked.line), storable(asked.data)
    found = await console.store.read(lambda tx: history.parcels_by_id(tx, [line]))
    if not found or found[0].chat_id != chat.id:
        raise NotFound("no-such-message")
    buttons = found[0].buttons
    if buttons and data not in (button.data for button in buttons) and not _is_late(data, buttons):
        raise Refused("no-such-choice", choice=data, known=", ".join(button.label for button in buttons))
    pressed = await console.press(
        Press(channel=chat.channel, address=chat.address, handle=OWNER, platform_id=line, data=data)
    )
    return shapes.ButtonPressed(text=pressed.text, taken=pressed.taken)


def _is_late(data: str, buttons: Sequence[Button]) -> bool:
    """A question that timed out can only be asked again; a person who still sees its choices is told when it did."""
    prefix, question, *_ = f"{data}:".split(":")
    return prefix == QUESTION and any(button.data.startswith(f"{prefix}:{question}:") for button in buttons)


async def hand_out_file(request: Request, console: Console) -> Response:
    """Serve a file; `line` names the parcel if the file has another name."""
    chat = await _room(request, console)
    wanted = storable(request.path_params["file"])
    line = storable(request.query_params.get("line", "")) or wanted.partition(".")[0]
    found = await console.store.read(lambda tx: history.parcels_by_id(tx, [line]))
    fits = [each for item in found if item.chat_id == chat.id for each in item.attachments]
    attachment = next((each for each in fits if each.kept == wanted), None)
    if attachment is None:
        raise NotFound("no-such-file")
    await console.documents.write([attachment])  # the page may be quicker than the delivery
    kept = await asyncio.to_thread(files.open_kept, console.attachments, attachment.kept)
    return files.FileAnswer(kept, attachment)


async def watch_room(request: Request, console: Console) -> Response:
    chat = await _room(request, console)
    return live.stream(console, chat, after=request.query_params.get("after") or None)


async def retry_message(request: Request, console: Console) -> Accepted:
    message_id = storable(request.path_params["message"])
    if not await console.retry(message_id):
        raise NotFound("nothing-to-retry")
    return Accepted(id=message_id)


async def explain_message(request: Request, console: Console) -> shapes.Why:
    """Explain a message; for a parcel of the agent, the message that it answers."""
    ref = storable(request.path_params["message"])

    def story(tx: Tx) -> shapes.Why | None:
        parcel = history.parcels_by_id(tx, [ref])
        told = explain(tx, (parcel[0].reply_to if parcel else None) or ref, console.locale_of_owner(tx))
        return shapes.why(told) if told else None

    told = await console.store.read(story)
    if told is None:
        raise NotFound("no-such-message")
    return told


async def _room(request: Request, console: Console) -> Chat:
    wanted = storable(request.path_params["room"])
    found = await console.store.read(lambda tx: people.chat(tx, wanted))
    if found is None or found.channel not in console.channels:
        raise NotFound("no-such-room")
    return found


async def _title(request: Request) -> str:
    asked = shapes.RoomTitle.model_validate_json(await read_body(request))
    title = tidy_name(asked.title)
    if not title:
        raise Refused("room-untitled")
    return title


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/page",
        summary="What the page starts with",
        answer=start_page,
        gives=shapes.Start,
    ),
    Endpoint(method="GET", path="/api/rooms", summary="The rooms", answer=list_rooms, gives=shapes.RoomList),
    Endpoint(
        method="POST",
        path="/api/rooms",
        summary="Open a room",
        answer=open_room,
        takes=shapes.RoomTitle,
        gives=shapes.Room,
        status=201,
    ),
    Endpoint(
        method="PATCH",
        path="/api/rooms/{room}",
        summary="Rename a room",
        answer=rename_room,
        takes=shapes.RoomTitle,
        gives=shapes.Room,
    ),
    Endpoint(
        method="GET",
        path="/api/rooms/{room}/messages",
        summary="What was said, newest page first; `before` and `limit` page back",
        answer=list_messages,
        asks=PageOf,
        gives=shapes.LinePage,
    ),
    Endpoint(
        method="POST",
        path="/api/rooms/{room}/messages",
        summary="Say something; a repeated client_id is recognised",
        answer=say_something,
        takes=shapes.NewMessage,
        gives=shapes.Line,
        status=202,
    ),
    Endpoint(
        method="GET",
        path="/api/rooms/{room}/live",
        summary=f"Server-sent events of a room: {', '.join(shapes.EVENTS)}; `after` sends what was missed",
        answer=watch_room,
        events=shapes.EVENTS,
    ),
    Endpoint(
        method="GET",
        path="/api/rooms/{room}/files/{file}",
        summary="A file that came with a parcel",
        answer=hand_out_file,
    ),
    Endpoint(
        method="POST",
        path="/api/rooms/{room}/press",
        summary="Press a button under a line",
        answer=press_button,
        takes=shapes.ButtonPress,
        gives=shapes.ButtonPressed,
    ),
    Endpoint(
        method="POST",
        path="/api/messages/{message}/retry",
        summary="Try a failed message again",
        answer=retry_message,
        gives=Accepted,
        status=202,
    ),
    Endpoint(
        method="GET",
        path="/api/messages/{message}/why",
        summary="The timeline of a message",
        answer=explain_message,
        gives=shapes.Why,
    ),
)
