"""How much of what a box or a model says is taken. Kept here, on the host: what runs in a box may keep to no limit.

Whoever is cut short is told so, in the place where the rest would stand.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

MOST_RESULT = 120_000  # characters of a tool's result; a little more than our own tools ever give
MOST_PRINTED = 256 * 1024  # characters that are shown of a tool while it runs
MOST_TOLD = 16 << 20  # bytes that a box may send for one tool call
MOST_ARGUMENTS = 2 << 20  # characters of what a model hands to a tool
MOST_ANSWER = 200_000  # characters of all that an agent says in one turn
LONGEST_LINE = 16 << 20  # bytes: a picture travels as one line
_PIECE = 1 << 16


class TooMuch(Exception):
    """It said more than is taken."""


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
    """Line by line. Raises TooMuch when one is too long, or all of them together."""
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
    """The first of what is printed, and how much it was; the rest is taken too, else it could not be printed."""
    kept, total = b"", 0
    while piece := await stream.read(_PIECE):
        kept += piece[: most - len(kept)]
        total += len(piece)
    return kept, total


def said_in(line: bytes) -> Mapping[str, Any]:
    """The object in a line; empty when it is something else. Nested too deep, it is no ValueError."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
