"""The terminal of a live session over a WebSocket: bytes both ways, and control messages in between.

Up: binary frames are what the person types; text frames are JSON, `{"resize": [rows, cols]}`. Down: binary
frames are what the terminal shows; text frames say `{"typist": true}` or false, `{"ended": "..."}`, or
`{"problem": "...", "code": "..."}`. Who may connect was decided before the WebSocket was accepted:
`access.py`.
"""

import asyncio
import json
from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from nanoclaw.channels.rooms import WEB
from nanoclaw.console.console import Console
from nanoclaw.console.shape import COMMAND_LINE, VIA, Shape
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.people import Actor
from nanoclaw.domain.text import storable
from nanoclaw.durable.store import Tx
from nanoclaw.flows.live.screens import ScreenViewer
from nanoclaw.texts import say, tell

SUBPROTOCOL = "nanoclaw.terminal"
"""Sent by a browser next to its token; a browser insists that one of the subprotocols it offered is chosen."""
ENDED, BAD_FRAME, REFUSED = 1000, 1008, 4000  # close codes; after any other one the client reconnects

Rows = Annotated[int, Field(ge=1, le=500)]
Cols = Annotated[int, Field(ge=1, le=1000)]


class Size(Shape):
    """How big the terminal is, and whether the client only wants to watch."""

    rows: Rows = 24
    cols: Cols = 80
    watch: bool = False


class Resize(Shape):
    resize: tuple[Rows, Cols]


async def serve(socket: WebSocket, console: Console) -> None:
    offered = socket.scope["subprotocols"]
    await socket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)
    with suppress(WebSocketDisconnect):
        try:
            attachment = await _attach(socket, console)
        except ValidationError:
            await _refuse_frame(socket, await console.language())
            return
        except NanoClawError as error:
            await _close(socket, REFUSED, problem=tell(await console.language(), error), code=error.key)
            return
        try:
            await _carry(socket, attachment, await console.language())
        finally:
            await attachment.close()


async def _attach(socket: WebSocket, console: Console) -> ScreenViewer:
    size = Size.model_validate(dict(socket.query_params))
    ref = storable(socket.path_params["session"])
    via = COMMAND_LINE if socket.headers.get(VIA) == COMMAND_LINE else WEB

    def look(tx: Tx) -> tuple[str, Actor]:
        return console.question_decisions.find(tx, ref).id, console.actor(tx, via)

    found, by = await console.store.read(look)
    return await console.sessions.terminals.attach(
        found, by, rows=size.rows, cols=size.cols, may_type=not size.watch
    )


async def _carry(socket: WebSocket, attachment: ScreenViewer, language: str) -> None:
    """Both ways, until the terminal ends or the client leaves, whichever is first."""
    ways = {asyncio.create_task(_show(socket, attachment)), asyncio.create_task(_type(socket, attachment))}
    try:
        done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in done:
            match way.result():
                case "ended":
                    await _close(socket, ENDED, ended=attachment.ended or "")
                case "bad frame":
                    await _refuse_frame(socket, language)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _show(socket: WebSocket, attachment: ScreenViewer) -> Literal["ended"]:
    """A client that reads slowly holds up only itself: its attachment decides what it misses."""
    types = attachment.is_typist
    await _say(socket, typist=types)
    async for piece in attachment.output():
        if attachment.is_typist != types:
            types = attachment.is_typist
            await _say(socket, typist=types)
        if piece:
            await socket.send_bytes(piece)
    return "ended"


async def _type(socket: WebSocket, attachment: ScreenViewer) -> Literal["bad frame"]:
    while True:
        frame = await socket.receive()
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(frame.get("code", 1005))
        if (typed := frame.get("bytes")) is not None:
            attachment.write(typed)
            continue
        try:
            attachment.resize(*Resize.model_validate_json(frame["text"]).resize)
        except ValidationError:
            return "bad frame"


async def _refuse_frame(socket: WebSocket, language: str) -> None:
    await _close(socket, BAD_FRAME, problem=say(language, "error-terminal-frame"), code="terminal-frame")


async def _close(socket: WebSocket, as_code: int, /, **said: object) -> None:
    await _say(socket, **said)
    await socket.close(as_code)


async def _say(socket: WebSocket, **said: object) -> None:
    await socket.send_text(json.dumps(said, ensure_ascii=False))
