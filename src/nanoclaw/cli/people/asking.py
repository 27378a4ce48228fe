"""How the commands about who may speak ask the keeper of the door, read what was typed, and print the answer.

They read and write the database themselves, so they work with and without a host that runs.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import typer

from nanoclaw.cli.report import opened_store, print_json, settings_of
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Shelf
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.text import storable
from nanoclaw.host.door import Door
from nanoclaw.host.people.keeper import DoorKeeper
from nanoclaw.texts import say

T = TypeVar("T")

_VIA = "command line"
_LONGEST_WORD = 100


def ask(home: Path, act: Callable[[DoorKeeper], Awaitable[T]]) -> tuple[T, Locale]:
    """What the keeper says, and in which language and on which clock it is to be shown."""
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


def print_list(
    found: Sequence[Any], locale: Locale, line: Callable[[Locale, Any], str], none: str, *, as_json: bool
) -> None:
    if as_json:
        print_json([asdict(row) for row in found])
    elif not found:
        typer.echo(say(locale.speaks, none))
    else:
        typer.echo("\n".join(line(locale, row) for row in found))


def print_one(row: Any, locale: Locale, line: Callable[[Locale, Any], str], *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(row))
    else:
        typer.echo(line(locale, row))
