"""How the commands about pipelines call the host, and reword its refusals."""

import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeVar

from nanoclaw.cli import host_requests
from nanoclaw.cli.host_requests import in_place_of, reworded
from nanoclaw.cli.people.access import word
from nanoclaw.client.connection import Address
from nanoclaw.client.pipelines import PipelineClient
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.locale import Locale

T = TypeVar("T")

_COMMAND = re.compile(r"/pipeline[_-](cancel|retry)|/pipelines\b")


def about(ref: str, act: Callable[[PipelineClient], Awaitable[T]]) -> tuple[T, Locale]:
    """Ask about a run, by its id or the end of it."""
    unknown = NotFound("pipelines-no-such-run", id=word(ref) or '""')
    if not word(ref):
        raise unknown
    with in_place_of("run-unknown", unknown):
        return through_host(act)


def through_host(act: Callable[[PipelineClient], Awaitable[T]]) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with PipelineClient(address) as client:
            return await act(client)

    with in_words_of_the_command_line():
        return host_requests.through_host(ask)


def in_words_of_the_command_line() -> AbstractContextManager[None]:
    return reworded(partial(_COMMAND.sub, lambda found: f"nanoclaw pipelines {found[1] or 'list'}"))
