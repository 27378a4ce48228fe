"""Serves the files that agents sent. They come from a box, so a browser may show few of them and run none."""

import asyncio
import os
import re
import stat
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.parcels import Attachment

# Pictures, sounds and plain text cannot run; an SVG or a page could, on the origin that holds the owner's token.
SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp", "audio/ogg", "audio/mpeg", "text/plain")
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_PART = re.compile(r"bytes=(\d{1,15})-(\d{1,15})?", re.ASCII)
_UNKNOWN = "application/octet-stream"
_CHUNK = 256 * 1024
_HEADERS = {
    "content-security-policy": "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}


class FileAnswer(Response):
    """The bytes on disk, piece by piece. The file is closed when they are sent."""

    def __init__(self, file: BinaryIO, attachment: Attachment) -> None:
        kind = attachment.media_type if _MEDIA_TYPE.fullmatch(attachment.media_type) else _UNKNOWN
        how = "inline" if kind in SHOWN else "attachment"
        self._file = file
        self._size = os.fstat(file.fileno()).st_size
        self.status_code = 200
        self.background = None
        self.media_type = kind
        self.init_headers(
            {
                **_HEADERS,
                "accept-ranges": "bytes",
                "content-disposition": f"{how}; filename*=UTF-8''{quote(attachment.name, safe='')}",
            }
        )

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        first, last = 0, self._size - 1
        if part := _part_of(Headers(scope=scope).get("range", ""), self._size):
            first, last = part
            self.status_code = 206
            self.headers["content-range"] = f"bytes {first}-{last}/{self._size}"
        rest = last + 1 - first
        self.headers["content-length"] = str(rest)
        with self._file:
            self._file.seek(first)
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            while rest > 0 and (piece := await asyncio.to_thread(self._file.read, min(_CHUNK, rest))):
                rest -= len(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


def _part_of(asked: str, size: int) -> tuple[int, int] | None:
    """The first and last byte requested. Without ranges a browser can neither seek in a sound nor tell its length.

    Anything unusual is answered with the whole file, as HTTP allows.
    """
    wanted = _PART.fullmatch(asked)
    if wanted is None:
        return None
    first, last = int(wanted[1]), min(int(wanted[2] or size), size - 1)
    return (first, last) if first <= last else None


def open_kept(folder: Path, name: str) -> BinaryIO:
    """The stored bytes of a file. A link there was not put by us, and is not followed."""
    try:
        inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            found = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=inside)
        finally:
            os.close(inside)
    except OSError:
        raise NotFound("no-such-file") from None
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise NotFound("no-such-file")
    return os.fdopen(found, "rb")
