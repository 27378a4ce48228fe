"""How much of what a box, a model or a vendor says is accepted. Enforced on the host: a box may ignore any limit.

Cut output says so in place of the rest.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterable, Mapping
from typing import Any

MOST_RESULT = 120_000  # characters of a tool's result; slightly more than our own tools ever return
MOST_PRINTED = 256 * 1024  # characters shown of a tool's output while it runs
MOST_TOLD = 16 << 20  # bytes that a box may send per tool call
MOST_ARGUMENTS = 2 << 20  # characters of a tool call's arguments
MOST_CALLS = 100  # tool calls in one answer of a model
MOST_ANSWER = 200_000  # characters an agent may say in one turn
LONGEST_LINE = 16 << 20  # bytes: a picture travels as one line
_PIECE = 1 << 16


class TooMuch(Exception):
    """It sent more than is accepted."""


def cut(text: str, most: int = MOST_RESULT) -> str:
    """The beginning and the end of a text that is too long, and how much is missing."""
    if len(text) <= most:
        return text
    half = most // 2
    return (
        f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out by the host ...]\n{text[-half:]}"
    )


async def lines(
    stream: asyncio.StreamReader, *, longest: int = LONGEST_LINE, most: int | None = None
) -> AsyncGenerator[bytes, None]:
    """The lines. Raises TooMuch if one is too long, or all of them together."""
    kept: list[bytes] = []
    length, total = 0, 0
    while piece := await stream.read(_PIECE):
        total += len(piece)
        *whole, rest = piece.split(b"\n")
        for end in whole:
            yield b"".join((*kept, end))
            kept, length = [], 0
        kept.append(rest)
        length += len(rest)
        if length > longest or (most is not None and total > most):
            raise TooMuch
    if length:
        yield b"".join(kept)


async def taken(stream: asyncio.StreamReader, most: int) -> tuple[bytes, int]:
    """The beginning of the output, and its full length; the rest is read too, or the writer would block."""
    kept, total = b"", 0
    while piece := await stream.read(_PIECE):
        kept += piece[: most - len(kept)]
        total += len(piece)
    return kept, total


async def whole(pieces: AsyncIterable[bytes], most: int) -> bytes:
    """All of it. Raises TooMuch if it is longer: no vendor's answer is read for ever."""
    kept = bytearray()
    async for piece in pieces:
        kept += piece
        if len(kept) > most:
            raise TooMuch("the answer is too long")
    return bytes(kept)


def said_in(line: bytes) -> Mapping[str, Any]:
    """The object in a line; empty if it is something else. Nesting that is too deep is a RecursionError."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
