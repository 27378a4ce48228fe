"""Saves the bytes that a network hands out, a piece at a time and never more than allowed."""

import asyncio
from pathlib import Path

import httpx

from nanoclaw.domain.errors import SendRefused
from nanoclaw.domain.messages import File

_PIECE = 1 << 18


async def save(answer: httpx.Response, file: File, target: Path, most_bytes: int) -> None:
    """Raises SendRefused when it is longer than allowed, whatever its size was said to be; httpx.HTTPError."""
    with await asyncio.to_thread(target.open, "wb") as kept:
        taken = 0
        async for piece in answer.aiter_bytes(_PIECE):
            taken += len(piece)
            if taken > most_bytes:
                raise SendRefused("file-too-long", name=file.name, megabytes=most_bytes >> 20)
            await asyncio.to_thread(kept.write, piece)
