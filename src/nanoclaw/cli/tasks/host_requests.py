"""How the commands about tasks call the host, and reword its refusals."""

import re
from collections.abc import Awaitable, Callable
from typing import TypeVar

from nanoclaw.cli import host_requests
from nanoclaw.cli.host_requests import in_place_of, reworded
from nanoclaw.cli.people.access import word
from nanoclaw.client.connection import Address
from nanoclaw.client.tasks import TaskClient
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.flows.tasks.task_input import POLICY_KEYS

T = TypeVar("T")

_EDIT = re.compile(r"/task_edit ([0-9]+) time ([^.]+)")
_COMMAND = re.compile(r"/task_([a-z]+) ([0-9]+)")
_NAMES = "|".join(POLICY_KEYS)
_FIELD = re.compile(rf"^({_NAMES})\b")


def about(ref: str, act: Callable[[TaskClient], Awaitable[T]]) -> tuple[T, Locale]:
    unknown = NotFound("tasks-no-such", id=word(ref) or '""')
    if not word(ref):
        raise unknown
    with in_place_of("no-such-task", unknown):
        return through_host(act)


def through_host(act: Callable[[TaskClient], Awaitable[T]]) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with TaskClient(address) as client:
            return await act(client)

    with reworded(_said_here), in_place_of("task-no-prompt", Refused("tasks-add-what")):
        return host_requests.through_host(ask)


def _said_here(said: str) -> str:
    said = _EDIT.sub(r'nanoclaw tasks edit \1 --when "\2"', said)
    said = _COMMAND.sub(r"nanoclaw tasks \1 \2", said).replace("/wire ", "nanoclaw wirings set CHAT ")
    return _FIELD.sub(lambda found: f"--{found[1].replace('_', '-')}", said)
