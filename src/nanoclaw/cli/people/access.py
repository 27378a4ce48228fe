"""How the commands about who may speak read and change rows, and parse what was typed.

They use the database directly, so they work with or without a running host: the host reads the rows with the next
message, and its sweep finds what is due.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

import typer

from nanoclaw.cli.database import settings_of, with_store
from nanoclaw.cli.options import guarded_home, help_of
from nanoclaw.console import people_shapes as shapes
from nanoclaw.console import people_views as views
from nanoclaw.console.owner import owner_actor, owner_locale
from nanoclaw.console.shape import COMMAND_LINE
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain import messages
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Actor
from nanoclaw.domain.text import storable
from nanoclaw.durable.store import Tx
from nanoclaw.host.admission import Admission

T = TypeVar("T")

_LONGEST_WORD = 100

Chat = Annotated[str, typer.Argument(help=help_of("of-chat"))]
# Addresses of groups are negative numbers, which would be parsed as options.
WITH_ADDRESS = {"ignore_unknown_options": True}


@dataclass(frozen=True, kw_only=True, slots=True)
class AsOwner:
    """One transaction of a command: what decides who may speak, and the owner of this machine as the actor."""

    tx: Tx
    admission: Admission
    by: Actor
    locale: Locale


def ask(act: Callable[[AsOwner], T], *, write: bool = False) -> tuple[T, Locale]:
    """The result, and the language and clock to show it in."""
    home = guarded_home()
    settings = settings_of(home)
    admission = Admission.of(home, settings, Groups(home), Skills(home))

    def story(tx: Tx) -> tuple[T, Locale]:
        by = owner_actor(tx, usual=settings.locale, name=settings.owner.name, via=COMMAND_LINE)
        locale = owner_locale(tx, settings.locale)
        return act(AsOwner(tx=tx, admission=admission, by=by, locale=locale)), locale

    return with_store(home, settings, story, write=write)


def word(typed: str) -> str:
    """The word as names are stored. Anything longer than a name can be is cut, so that a refusal stays one
    sentence.
    """
    tidied = " ".join(storable(typed).split())
    return tidied if len(tidied) <= _LONGEST_WORD else f"{tidied[:_LONGEST_WORD]}…"


def word_or_none(typed: str | None) -> str | None:
    return None if typed is None else word(typed)


def find_chat(owner: AsOwner, ref: str) -> messages.Chat:
    return owner.admission.access.find_chat(owner.tx, word(ref))


def show_chat(owner: AsOwner, ref: str) -> shapes.Chat:
    return views.show_chat(owner.tx, owner.admission.groups, owner.by.language, find_chat(owner, ref))
