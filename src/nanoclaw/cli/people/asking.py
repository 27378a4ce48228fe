"""How the commands about who may speak ask the keeper of the door, and read what was typed.

They read and write the database themselves, so they work with and without a host that runs.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer

from nanoclaw.cli.database import opened_store, settings_of
from nanoclaw.cli.options import guarded_home, help_of
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Shelf
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.text import storable
from nanoclaw.host.door import Door
from nanoclaw.host.people.keeper import DoorKeeper

T = TypeVar("T")

_VIA = "command line"
_LONGEST_WORD = 100

Chat = Annotated[str, typer.Argument(help=help_of("of-chat"))]
# Addresses of groups are numbers below zero, which would be read as options.
WITH_ADDRESS = {"ignore_unknown_options": True}


def ask(act: Callable[[DoorKeeper], Awaitable[T]]) -> tuple[T, Locale]:
    """What the keeper says, and in which language and on which clock it is to be shown."""
    home = guarded_home()
    settings = settings_of(home)

    async def story(keeper: DoorKeeper) -> tuple[T, Locale]:
        return await act(keeper), await keeper.locale()

    with opened_store(home, settings) as store:
        door = Door.of(home, settings, Groups(home), Shelf(home))
        keeper = DoorKeeper(home=home, store=store, door=door, settings=settings, engine=None, via=_VIA)
        return asyncio.run(story(keeper))


def word(typed: str) -> str:
    """As names are kept. What is longer than any name is cut, so that a refusal stays one sentence."""
    tidied = " ".join(storable(typed).split())
    return tidied if len(tidied) <= _LONGEST_WORD else f"{tidied[:_LONGEST_WORD]}…"


def word_or_none(typed: str | None) -> str | None:
    return None if typed is None else word(typed)
