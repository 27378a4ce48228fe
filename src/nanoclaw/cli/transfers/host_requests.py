"""How the commands about transfers call the host, and reword its refusals."""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import typer

from nanoclaw.cli import host_requests
from nanoclaw.cli.host_requests import in_place_of, reworded
from nanoclaw.cli.options import LANGUAGE
from nanoclaw.cli.people.access import word
from nanoclaw.client.connection import Address
from nanoclaw.client.transfers import TransferClient
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.locale import Locale
from nanoclaw.texts import say

T = TypeVar("T")

TO_GO_ON = 60.0  # seconds in which a temporary host packs, delivers or reads
_COMMAND = re.compile(
    r"/(transfers|export[_-]session|import[_-]analysis|transfer[_-]cancel|transfer[_-]pick)\b"
)
_WORDS = {"transfers": "list", "export": "export", "import": "import", "transfer": "cancel"}


def about(
    ref: str, act: Callable[[TransferClient], Awaitable[T]], *, patience: float = 0
) -> tuple[T, Locale]:
    """Ask about a transfer, by its id or the end of it."""
    unknown = NotFound("transfers-no-such", id=word(ref) or '""')
    if not word(ref):
        raise unknown
    with in_place_of("no-such-transfer", unknown):
        return through_host(act, patience=patience)


def through_host(act: Callable[[TransferClient], Awaitable[T]], *, patience: float = 0) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with TransferClient(address) as client:
            return await act(client)

    with reworded(partial(_COMMAND.sub, _typed)):
        return host_requests.through_host(ask, patience=patience)


def tell_lost() -> None:
    typer.echo(say(LANGUAGE, "pipelines-lost"), err=True)


def _typed(found: re.Match[str]) -> str:
    name = "pick" if found[1].endswith("pick") else _WORDS[re.split("[_-]", found[1])[0]]
    return f"nanoclaw transfer {name}"
