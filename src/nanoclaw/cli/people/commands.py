"""The commands by which people, chats, wirings and agent groups are ruled. Each prints how things stand now."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from nanoclaw.cli.people.asking import ask, print_list, print_one, word, word_or_none
from nanoclaw.cli.people.lines import chat_line, group_line, person_line, wiring_lines
from nanoclaw.cli.report import print_json
from nanoclaw.console.keeper import ChatRow, GroupRow, PersonRow, WiringChange
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.text import storable
from nanoclaw.domain.wirings import EngageMode
from nanoclaw.flows.ruling import NOBODY
from nanoclaw.host.people.keeper import DoorKeeper
from nanoclaw.texts import say

# People


def list_people(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, DoorKeeper.people)
    print_list(found, locale, person_line, "people-none", as_json=as_json)


def list_roles(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, DoorKeeper.people)
    having = [person for person in found if person.role != NOBODY or person.memberships]
    print_list(having, locale, person_line, "people-head-none", as_json=as_json)


def block(home: Path, person: str, *, blocked: bool, as_json: bool) -> None:
    named = word(person)
    _change_person(home, named, lambda keeper: keeper.block(named, blocked=blocked), as_json=as_json)


def give_role(home: Path, person: str, role: str, group: str | None, *, as_json: bool) -> None:
    named = word(person)
    _change_person(
        home,
        named,
        lambda keeper: keeper.give_role(named, word(role), word_or_none(group)),
        as_json=as_json,
    )


def take_role(home: Path, person: str, group: str | None, *, as_json: bool) -> None:
    named = word(person)
    _change_person(home, named, lambda keeper: keeper.take_role(named, word_or_none(group)), as_json=as_json)


def _change_person(
    home: Path, person: str, act: Callable[[DoorKeeper], Awaitable[None]], *, as_json: bool
) -> None:
    async def story(keeper: DoorKeeper) -> PersonRow:
        await act(keeper)
        return await keeper.person(person)

    print_one(*ask(home, story), person_line, as_json=as_json)


# Chats and agent groups


def list_chats(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, DoorKeeper.chats)
    print_list(found, locale, chat_line, "chats-head-none", as_json=as_json)


def set_strangers(home: Path, chat: str, policy: str, *, as_json: bool) -> None:
    named = word(chat)

    async def story(keeper: DoorKeeper) -> ChatRow:
        await keeper.set_strangers(named, word(policy))
        return await keeper.chat(named)

    print_one(*ask(home, story), chat_line, as_json=as_json)


def list_wirings(home: Path, chat: str | None, *, as_json: bool) -> None:
    async def story(keeper: DoorKeeper) -> list[ChatRow]:
        if chat is not None:
            return [await keeper.chat(word(chat))]
        return [each for each in await keeper.chats() if each.wirings]

    _print_wirings(*ask(home, story), as_json=as_json)


def set_wiring(home: Path, chat: str, group: str, change: WiringChange, *, as_json: bool) -> None:
    """A pattern that would not be looked at is refused, rather than forgotten without a word."""
    mode = (change.engage or EngageMode.PATTERN).lower()
    if change.pattern is not None and mode != EngageMode.PATTERN:
        raise Refused("pattern-unused", engage=word(mode))
    named = word(chat)
    wanted = WiringChange(
        engage=word_or_none(change.engage),
        pattern=None if change.pattern is None else storable(change.pattern),
        senders=word_or_none(change.senders),
        ignored=word_or_none(change.ignored),
        priority=change.priority,
    )

    async def story(keeper: DoorKeeper) -> list[ChatRow]:
        await keeper.wire(named, word(group), wanted)
        return [await keeper.chat(named)]

    _print_wirings(*ask(home, story), as_json=as_json)


def remove_wiring(home: Path, chat: str, group: str, *, as_json: bool) -> None:
    named = word(chat)

    async def story(keeper: DoorKeeper) -> list[ChatRow]:
        await keeper.unwire(named, word(group))
        return [await keeper.chat(named)]

    _print_wirings(*ask(home, story), as_json=as_json)


def list_groups(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, DoorKeeper.groups)
    print_list(found, locale, group_line, "groups-head-none", as_json=as_json)


def add_group(home: Path, name: str, company: str | None, *, as_json: bool) -> None:
    async def story(keeper: DoorKeeper) -> GroupRow:
        made = await keeper.found_group(word(name), word(name if company is None else company))
        return next(group for group in await keeper.groups() if group.name == made)

    made, locale = ask(home, story)
    if not as_json:
        typer.echo(say(locale.speaks, "group-made", group=made.name))
    print_one(made, locale, group_line, as_json=as_json)


def _print_wirings(chats: Sequence[ChatRow], locale: Locale, *, as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {"chat": chat.id, "title": chat.title, **asdict(wiring)}
                for chat in chats
                for wiring in chat.wirings
            ]
        )
        return
    lines = [line for chat in chats for line in wiring_lines(locale, chat)]
    typer.echo("\n".join(lines) or say(locale.speaks, "wirings-none"))
