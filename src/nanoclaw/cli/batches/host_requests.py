"""How the commands about batches call the host, and reword its refusals."""

import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeVar

from nanoclaw.cli import host_requests
from nanoclaw.cli.host_requests import in_place_of, reworded
from nanoclaw.cli.people.access import word
from nanoclaw.client.batches import BatchClient
from nanoclaw.client.connection import Address
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.locale import Locale

T = TypeVar("T")

_COMMAND = re.compile(r"/batch[_-](cancel|resubmit|results|generate)|/batches\b")
_WORDS = {"generate": "run", None: "list"}


def about(ref: str, act: Callable[[BatchClient], Awaitable[T]]) -> tuple[T, Locale]:
    """Ask about a batch, by its id or the end of it."""
    unknown = NotFound("batches-no-such", id=word(ref) or '""')
    if not word(ref):
        raise unknown
    with in_place_of("batch-unknown", unknown):
        return through_host(act)


def through_host(act: Callable[[BatchClient], Awaitable[T]]) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with BatchClient(address) as client:
            return await act(client)

    with in_words_of_the_command_line():
        return host_requests.through_host(ask)


def in_words_of_the_command_line() -> AbstractContextManager[None]:
    return reworded(partial(_COMMAND.sub, lambda found: f"nanoclaw batches {_WORDS.get(found[1], found[1])}"))
