"""Endpoints for the files of transfers: the package as it leaves, each of its files for review, and what
comes back.
"""

import asyncio
import os
from pathlib import Path, PurePath
from typing import BinaryIO

from starlette.requests import Request

from nanoclaw.console import transfer_shapes as shapes
from nanoclaw.console.console import Console
from nanoclaw.console.files import FileAnswer
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.transfers import TRANSFER, found
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.transfers import MANIFEST, Transfer
from nanoclaw.flows.transfers.packages import Condition
from nanoclaw.sandbox.untrusted_files import Reject, open_beneath

_ZIP = "application/zip"
_PLAIN = "text/plain"
_READ_AS_TEXT = (".md", ".txt", ".jsonl", ".json", ".csv", ".sh")


async def get_package(request: Request, console: Console) -> FileAnswer:
    """A downloaded package has left, so this works only once somebody has released it."""
    transfer = await _transfer(request, console)
    if transfer.delivered_at is None:
        raise Refused("transfer-not-released")
    condition = await asyncio.to_thread(console.transfers.packages.condition, transfer)
    if condition is not Condition.INTACT:
        raise NotFound("transfer-no-package")
    path = await asyncio.to_thread(console.transfers.packages.zipped, transfer.id)
    file = await asyncio.to_thread(path.open, "rb")
    return FileAnswer(file, _named(f"{transfer.id}.zip", _ZIP))


async def get_file(request: Request, console: Console) -> FileAnswer:
    """A file for the people who decide whether it may leave. Texts are shown as such, anything else is saved."""
    asked = shapes.FileOf.model_validate(dict(request.query_params))
    transfer = await _transfer(request, console)
    names = {shown(name): name for name in (MANIFEST, *(transfer.manifest or {}).get("files", {}))}
    if (name := names.get(shown(asked.path))) is None:
        raise NotFound("no-such-file")
    file = await asyncio.to_thread(_opened, console.transfers.packages.folder(transfer.id), name)
    path = PurePath(name)
    is_text = path.suffix.lower() in _READ_AS_TEXT
    return FileAnswer(file, _named(path.name, _PLAIN if is_text else "application/octet-stream"))


async def _transfer(request: Request, console: Console) -> Transfer:
    by = await console.actor_of(request)
    return await console.store.read(lambda tx: found(tx, request, console, by))


def _opened(folder: Path, path: str) -> BinaryIO:
    try:
        inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            return os.fdopen(open_beneath(inside, path), "rb")
        finally:
            os.close(inside)
    except (OSError, Reject):
        raise NotFound("no-such-file") from None


def _named(name: str, media_type: str) -> Attachment:
    return Attachment(name=name, media_type=media_type, size=0, kept="")


ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{TRANSFER}/package.zip",
        summary="The package, once it may leave",
        answer=get_package,
    ),
    Endpoint(
        method="GET",
        path=f"{TRANSFER}/files",
        summary="One file of the package, by its place in it",
        answer=get_file,
        asks=shapes.FileOf,
    ),
)
