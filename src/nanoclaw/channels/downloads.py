"""Saves the bytes that a network serves, piece by piece and never more than allowed."""

import asyncio
from pathlib import Path

import httpx

from nanoclaw.domain.errors import SendLater, SendRefused
from nanoclaw.domain.messages import File

_PIECE = 1 << 18


async def download(http: httpx.AsyncClient, url: str, file: File, target: Path, most_bytes: int) -> None:
    """Raises SendLater if it may work later and SendRefused if it never will, as `Channel.fetch` does."""
    try:
        async with http.stream("GET", url) as answer:
            if answer.is_server_error or answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
                raise SendLater("far-end-failed", status=str(answer.status_code))
            if not answer.is_success:
                raise SendRefused("file-not-there", name=file.name)
            await save(answer, file, target, most_bytes)
    except httpx.HTTPError as error:
        raise SendLater("far-end-silent", said=type(error).__name__) from error


async def save(answer: httpx.Response, file: File, target: Path, most_bytes: int) -> None:
    """Raises SendRefused if it is longer than allowed, whatever size was announced; httpx.HTTPError."""
    with await asyncio.to_thread(target.open, "wb") as kept:
        taken = 0
        async for piece in answer.aiter_bytes(_PIECE):
            taken += len(piece)
            if taken > most_bytes:
                raise SendRefused("file-too-long", name=file.name, megabytes=most_bytes >> 20)
            await asyncio.to_thread(kept.write, piece)
