"""How the events of a streamed answer are told apart."""

from collections.abc import AsyncIterator
from typing import cast

import aiohttp
import pytest

from nanoclaw.gateway.anthropic_answer import events


class Pieces:
    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces

    async def iter_any(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


@pytest.mark.parametrize(
    "pieces",
    [
        (b"data:1\n\ndata:2\n\n",),
        (b"da", b"ta:1\n", b"\nevent: x\ndata:2", b"\n"),
        (b"data:1\n\n", b"data:2"),  # nothing says that the last line ends
    ],
)
async def test_each_event_is_found_however_it_is_cut(pieces: tuple[bytes, ...]) -> None:
    each_found = [
        each async for found in events(cast(aiohttp.StreamReader, Pieces(*pieces))) for each in found
    ]
    assert each_found == [b"1", b"2"]
