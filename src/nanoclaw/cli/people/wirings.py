"""The commands that wire agents to chats, and say when they engage there."""

from collections.abc import Sequence
from typing import Annotated

import typer

from nanoclaw.cli.options import AsJson, help_of, lists_alone
from nanoclaw.cli.output import as_dict, print_json
from nanoclaw.cli.people.access import (
    WITH_ADDRESS,
    AsOwner,
    Chat,
    ask,
    find_chat,
    show_chat,
    word,
    word_or_none,
)
from nanoclaw.cli.people.lines import wiring_lines
from nanoclaw.console.people_shapes import Chat as ShownChat
from nanoclaw.console.people_views import show_chats
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.text import storable
from nanoclaw.domain.wirings import EngageMode
from nanoclaw.durable.clock import now
from nanoclaw.flows.incoming.access import read_change
from nanoclaw.texts import say

app = typer.Typer()
wirings = typer.Typer(help=help_of("wirings"))
app.add_typer(wirings, name="wirings")

Group = Annotated[str, typer.Argument(help=help_of("of-group"))]


@wirings.command("list", help=help_of("wirings-list"))
def list_wirings(
    chat: Annotated[str | None, typer.Option(help=help_of("of-chat"))] = None, as_json: AsJson = False
) -> None:
    def story(owner: AsOwner) -> list[ShownChat]:
        if chat is not None:
            return [show_chat(owner, chat)]
        return [
            each for each in show_chats(owner.tx, owner.admission.groups, owner.by.language) if each.wirings
        ]

    _print_wirings(*ask(story), as_json=as_json)


lists_alone(wirings, list_wirings)


@wirings.command("set", help=help_of("wirings-set"), context_settings=WITH_ADDRESS)
def set_wiring(
    chat: Chat,
    group: Group,
    engage: Annotated[str | None, typer.Option(help=help_of("engage"))] = None,
    pattern: Annotated[str | None, typer.Option(help=help_of("pattern"))] = None,
    senders: Annotated[str | None, typer.Option(help=help_of("senders"))] = None,
    ignored: Annotated[str | None, typer.Option(help=help_of("ignored"))] = None,
    priority: Annotated[int | None, typer.Option(min=-1000, max=1000, help=help_of("priority"))] = None,
    as_json: AsJson = False,
) -> None:
    """A pattern that would have no effect is refused rather than silently dropped."""
    mode = (engage or EngageMode.PATTERN).lower()
    if pattern is not None and mode != EngageMode.PATTERN:
        raise Refused("pattern-unused", engage=word(mode))
    wanted = read_change(
        engage=word_or_none(engage),
        pattern=None if pattern is None else storable(pattern),
        senders=word_or_none(senders),
        ignored=word_or_none(ignored),
        priority=priority,
    )

    def story(owner: AsOwner) -> list[ShownChat]:
        found = find_chat(owner, chat)
        owner.admission.access.set_wiring(owner.tx, owner.by, found, word(group), wanted, now())
        return [show_chat(owner, chat)]

    _print_wirings(*ask(story, write=True), as_json=as_json)


@wirings.command("remove", help=help_of("wirings-remove"), context_settings=WITH_ADDRESS)
def remove_wiring(chat: Chat, group: Group, as_json: AsJson = False) -> None:
    def story(owner: AsOwner) -> list[ShownChat]:
        owner.admission.access.unwire(owner.tx, owner.by, find_chat(owner, chat), word(group), now())
        return [show_chat(owner, chat)]

    _print_wirings(*ask(story, write=True), as_json=as_json)


def _print_wirings(chats: Sequence[ShownChat], locale: Locale, *, as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {"chat": chat.id, "title": chat.title, **as_dict(wiring)}
                for chat in chats
                for wiring in chat.wirings
            ]
        )
        return
    lines = [line for chat in chats for line in wiring_lines(locale, chat)]
    typer.echo("\n".join(lines) or say(locale.speaks, "wirings-none"))
