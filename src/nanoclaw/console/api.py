"""The HTTP API: rooms, messages, files, why. One table of endpoints makes both the routes and the OpenAPI page."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nanoclaw.console import bots, door, files, health, inbox, live, overview, shapes, tasks
from nanoclaw.console.body import read_body
from nanoclaw.console.desk import OWNER, Desk
from nanoclaw.console.openapi import Endpoint, describe
from nanoclaw.delivery.live import EVERY_CHAT, ChatChanged
from nanoclaw.domain.errors import NanoClawError, NotFound, Refused, StoreUnavailable, TooBig
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.messages import Chat, Incoming, Press, Quote
from nanoclaw.domain.parcels import QUESTION, Button
from nanoclaw.domain.text import storable, tidy_name
from nanoclaw.durable import held, history, people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.why import explain
from nanoclaw.texts import tell

_LONGEST_QUOTE = 500


def routes(desk: Desk) -> list[Route]:
    """Below /api, where they are mounted: what is not there is not found, whatever the method."""
    described = Route("/openapi.json", lambda _request: JSONResponse(describe(ENDPOINTS)), methods=["GET"])
    made = [
        Route(each.path.removeprefix("/api"), _handler(each, desk), methods=[each.method])
        for each in ENDPOINTS
    ]
    return [*made, described]


def _handler(endpoint: Endpoint, desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        try:
            given = await endpoint.answer(request, desk)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            return await _problem(desk, Refused("bad-request", where=where, said=first["msg"]))
        except NanoClawError as error:
            return await _problem(desk, error)
        if isinstance(given, Response):
            return given
        return Response(given.model_dump_json(), endpoint.status, media_type="application/json")

    return handle


async def start_page(_request: Request, desk: Desk) -> shapes.Start:
    def story(tx: Tx) -> shapes.Start:
        return shapes.Start(
            timezone=desk.locale_of_owner(tx).zone.key,
            owner=desk.owner_name,
            handle=OWNER,
            held=held.read(tx) is not None,
            rooms=rooms_of(tx, desk).rooms,
        )

    return await desk.store.read(story)


# Rooms


async def list_rooms(_request: Request, desk: Desk) -> shapes.RoomList:
    return await desk.store.read(lambda tx: rooms_of(tx, desk))


def rooms_of(tx: Tx, desk: Desk) -> shapes.RoomList:
    return shapes.RoomList(rooms=[shapes.room(chat, at) for chat, at in people.chats_of(tx, desk.channels)])


async def open_room(request: Request, desk: Desk) -> shapes.Room:
    title = await _title(request)

    def story(tx: Tx) -> Chat:
        address = new_id("r")
        chat = people.add_chat(tx, channel=desk.channels[0], address=address, title=title, at=now())
        wirings.wire(tx, chat.id, chat.kind, desk.main_group(), now())
        return chat

    chat = await desk.store.write(story)
    desk.live.tell(EVERY_CHAT, ChatChanged(chat.id))
    return shapes.room(chat, None)


async def rename_room(request: Request, desk: Desk) -> shapes.Room:
    title = await _title(request)
    chat = await _room(request, desk)
    await desk.store.write(lambda tx: people.rename_chat(tx, chat.id, title))
    desk.live.tell(EVERY_CHAT, ChatChanged(chat.id))
    return await desk.store.read(lambda tx: shapes.room(*people.chat_with_time(tx, chat.id)))


# Messages


async def list_messages(request: Request, desk: Desk) -> shapes.LinePage:
    chat = await _room(request, desk)
    page = shapes.PageOf.model_validate(dict(request.query_params))
    items, more = await desk.store.read(
        lambda tx: history.of_chat(tx, chat.id, before=page.before, limit=page.limit)
    )
    lines = await asyncio.to_thread(lambda: [shapes.line(item) for item in items])
    return shapes.LinePage(items=lines, more=more)


async def say_something(request: Request, desk: Desk) -> shapes.Line:
    """The answer comes only when the message is on disk."""
    new = shapes.NewMessage.model_validate_json(await read_body(request))
    chat = await _room(request, desk)
    quote = await desk.store.read(lambda tx: _quote(tx, chat, new.reply_to))
    message_id = await desk.receive(
        Incoming(
            channel=chat.channel,
            address=chat.address,
            external_id=new.client_id,
            handle=OWNER,
            sender=desk.owner_name,
            text=new.text,
            sent_at=now(),
            reply_to=quote,
        )
    )
    items = await desk.store.read(lambda tx: history.messages_by_id(tx, [message_id]))
    return shapes.line(items[0])


def _quote(tx: Tx, chat: Chat, ref: str | None) -> Quote | None:
    if ref is None:
        return None
    found = [*history.messages_by_id(tx, [ref]), *history.parcels_by_id(tx, [ref])]
    if not found or found[0].chat_id != chat.id:
        raise NotFound("no-such-message")
    return Quote(ref=ref, sender=found[0].name or found[0].author, text=found[0].text[:_LONGEST_QUOTE])


async def press_button(request: Request, desk: Desk) -> shapes.ButtonPressed:
    """A card without buttons was decided meanwhile; the host says by whom."""
    asked = shapes.ButtonPress.model_validate_json(await read_body(request))
    chat = await _room(request, desk)
    line, data = storable(asked.line), storable(asked.data)
    found = await desk.store.read(lambda tx: history.parcels_by_id(tx, [line]))
    if not found or found[0].chat_id != chat.id:
        raise NotFound("no-such-message")
    buttons = found[0].buttons
    if buttons and data not in (button.data for button in buttons) and not _is_late(data, buttons):
        raise Refused("no-such-choice", choice=data, known=", ".join(button.label for button in buttons))
    pressed = await desk.press(
        Press(channel=chat.channel, address=chat.address, handle=OWNER, platform_id=line, data=data)
    )
    return shapes.ButtonPressed(text=pressed.text, taken=pressed.taken)


def _is_late(data: str, buttons: Sequence[Button]) -> bool:
    """A question that ran out of time can only be asked again; whoever still has its choices is told when it did."""
    prefix, question, *_ = f"{data}:".split(":")
    return prefix == QUESTION and any(button.data.startswith(f"{prefix}:{question}:") for button in buttons)


async def hand_out_file(request: Request, desk: Desk) -> Response:
    """`line` names the parcel, where the file has another name than that."""
    chat = await _room(request, desk)
    wanted = storable(request.path_params["file"])
    line = storable(request.query_params.get("line", "")) or wanted.partition(".")[0]
    found = await desk.store.read(lambda tx: history.parcels_by_id(tx, [line]))
    fits = [each for item in found if item.chat_id == chat.id for each in item.attachments]
    attachment = next((each for each in fits if each.kept == wanted), None)
    if attachment is None:
        raise NotFound("no-such-file")
    kept = await asyncio.to_thread(files.open_kept, desk.attachments, attachment.kept)
    return files.FileAnswer(kept, attachment)


async def watch_room(request: Request, desk: Desk) -> Response:
    chat = await _room(request, desk)
    return live.stream(desk, chat, after=request.query_params.get("after") or None)


async def retry_message(request: Request, desk: Desk) -> shapes.Accepted:
    message_id = storable(request.path_params["message"])
    if not await desk.retry(message_id):
        raise NotFound("nothing-to-retry")
    return shapes.Accepted(id=message_id)


async def explain_message(request: Request, desk: Desk) -> shapes.Why:
    """For a parcel of the agent: why the message that it answers got it."""
    ref = storable(request.path_params["message"])

    def story(tx: Tx) -> shapes.Why | None:
        parcel = history.parcels_by_id(tx, [ref])
        told = explain(tx, (parcel[0].reply_to if parcel else None) or ref, desk.locale_of_owner(tx))
        return shapes.why(told) if told else None

    told = await desk.store.read(story)
    if told is None:
        raise NotFound("no-such-message")
    return told


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
        asks=shapes.PageOf,
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
        gives=shapes.Accepted,
        status=202,
    ),
    Endpoint(
        method="GET",
        path="/api/messages/{message}/why",
        summary="The timeline of a message",
        answer=explain_message,
        gives=shapes.Why,
    ),
    Endpoint(
        method="GET",
        path="/api/status",
        summary="What the host does",
        answer=overview.status,
        gives=shapes.Status,
    ),
    Endpoint(
        method="GET",
        path="/api/bots",
        summary="The bots on chat networks, and what troubles them",
        answer=bots.list_bots,
        gives=shapes.BotList,
    ),
    Endpoint(
        method="POST",
        path="/api/bots",
        summary="Connect a bot by its token",
        answer=bots.connect_bot,
        takes=shapes.BotToken,
        gives=shapes.Bot,
        status=201,
    ),
    Endpoint(
        method="DELETE",
        path="/api/bots/{bot}",
        summary="Let go of a bot, and forget its token",
        answer=bots.disconnect_bot,
        gives=shapes.Accepted,
    ),
    Endpoint(
        method="POST",
        path="/api/pairing",
        summary="A new one-time code that makes whoever sends it to a bot the owner",
        answer=bots.pair,
        gives=shapes.Pairing,
        status=201,
    ),
    Endpoint(
        method="POST",
        path="/api/qr",
        summary="A text as a QR code, drawn as SVG",
        answer=bots.draw_qr,
        takes=shapes.QrText,
    ),
    Endpoint(
        method="GET",
        path="/api/connections",
        summary="Where programs in boxes wanted to connect, newest first; `before` and `limit` page back",
        answer=overview.list_connections,
        asks=shapes.PageOf,
        gives=shapes.ConnectionPage,
    ),
    Endpoint(
        method="GET",
        path="/api/costs",
        summary="What model calls cost today and this month, by company",
        answer=overview.add_up_costs,
        gives=shapes.Costs,
    ),
    *health.ENDPOINTS,
    *door.ENDPOINTS,
    *inbox.ENDPOINTS,
    *tasks.ENDPOINTS,
)


async def _room(request: Request, desk: Desk) -> Chat:
    wanted = storable(request.path_params["room"])
    found = await desk.store.read(lambda tx: people.chat(tx, wanted))
    if found is None or found.channel not in desk.channels:
        raise NotFound("no-such-room")
    return found


async def _title(request: Request) -> str:
    asked = shapes.RoomTitle.model_validate_json(await read_body(request))
    title = tidy_name(asked.title)
    if not title:
        raise Refused("room-untitled")
    return title


_STATUS = {NotFound: 404, TooBig: 413, StoreUnavailable: 507, Refused: 400}


async def _problem(desk: Desk, error: NanoClawError) -> Response:
    status_code = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)
    try:
        locale = await desk.store.read(desk.locale_of_owner)
    except NanoClawError:
        locale = desk.locale
    return JSONResponse({"error": tell(locale.speaks, error), "code": error.key}, status_code)
