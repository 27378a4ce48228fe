"""Endpoints for bots on chat networks: listing, connecting and pairing them."""

from importlib import import_module
from io import BytesIO

from starlette.requests import Request
from starlette.responses import Response

from nanoclaw.console import bot_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.shape import Accepted
from nanoclaw.domain.text import storable


async def list_bots(_request: Request, console: Console) -> shapes.BotList:
    locale = await console.store.read(console.locale_of_owner)
    return shapes.BotList(bots=await console.list_bots(locale.speaks))


async def connect_bot(request: Request, console: Console) -> shapes.Bot:
    asked = shapes.BotToken.model_validate_json(await read_body(request))
    return await console.connect_bot(asked.token.strip())


async def disconnect_bot(request: Request, console: Console) -> Accepted:
    bot_id = storable(request.path_params["bot"])
    await console.disconnect_bot(bot_id)
    return Accepted(id=bot_id)


async def pair(_request: Request, console: Console) -> shapes.Pairing:
    return await console.pair()


async def draw_qr(request: Request, _console: Console) -> Response:
    """Dark on white whatever the theme: not every reader can read the inverse."""
    asked = shapes.QrText.model_validate_json(await read_body(request))
    picture = BytesIO()
    code = import_module("segno").make_qr(asked.text)  # takes a tenth of a second
    code.save(picture, kind="svg", scale=6, dark="#000", light="#fff", svgclass=None, lineclass=None)
    return Response(picture.getvalue(), media_type="image/svg+xml")


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/bots",
        summary="The bots on chat networks, and what troubles them",
        answer=list_bots,
        gives=shapes.BotList,
    ),
    Endpoint(
        method="POST",
        path="/api/bots",
        summary="Connect a bot by its token",
        answer=connect_bot,
        takes=shapes.BotToken,
        gives=shapes.Bot,
        status=201,
    ),
    Endpoint(
        method="DELETE",
        path="/api/bots/{bot}",
        summary="Let go of a bot, and forget its token",
        answer=disconnect_bot,
        gives=Accepted,
    ),
    Endpoint(
        method="POST",
        path="/api/pairing",
        summary="A new one-time code that makes whoever sends it to a bot the owner",
        answer=pair,
        gives=shapes.Pairing,
        status=201,
    ),
    Endpoint(
        method="POST",
        path="/api/qr",
        summary="A text as a QR code, drawn as SVG",
        answer=draw_qr,
        takes=shapes.QrText,
    ),
)
