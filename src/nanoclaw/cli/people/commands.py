"""The commands by which people, chats, wirings and agent groups are ruled. Each prints how things stand now."""

from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from nanoclaw.cli.people.asking import Desk, as_dict, ask, print_list, print_one, word, word_or_none
from nanoclaw.cli.people.lines import chat_line, group_line, person_line, wiring_lines
from nanoclaw.cli.report import print_json
from nanoclaw.console import people_views as views
from nanoclaw.console.people_shapes import Chat, Group, Person
from nanoclaw.domain import messages, people
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.text import storable
from nanoclaw.domain.wirings import EngageMode, UnknownSenders
from nanoclaw.durable.clock import now
from nanoclaw.flows.ruling import NOBODY, read_change, read_choice, read_role
from nanoclaw.texts import say

# People


def list_people(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, lambda desk: views.show_people(desk.tx))
    print_list(found, locale, person_line, "people-none", as_json=as_json)


def list_roles(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, lambda desk: views.show_people(desk.tx))
    having = [person for person in found if person.role != NOBODY or person.memberships]
    print_list(having, locale, person_line, "people-head-none", as_json=as_json)


def block(home: Path, person: str, *, blocked: bool, as_json: bool) -> None:
    def act(desk: Desk, found: people.Person) -> None:
        desk.door.rulings.block(desk.tx, desk.by, found, now(), blocked=blocked)

    _change_person(home, person, act, as_json=as_json)


def give_role(home: Path, person: str, role: str, group: str | None, *, as_json: bool) -> None:
    given = read_role(word(role))

    def act(desk: Desk, found: people.Person) -> None:
        rulings = desk.door.rulings
        where = rulings.usual_group(given) if group is None else word(group)
        rulings.give_role(desk.tx, desk.by, found, given, where, now())

    _change_person(home, person, act, as_json=as_json)


def take_role(home: Path, person: str, group: str | None, *, as_json: bool) -> None:
    def act(desk: Desk, found: people.Person) -> None:
        desk.door.rulings.take_role(desk.tx, desk.by, found, word_or_none(group), now())

    _change_person(home, person, act, as_json=as_json)


def _change_person(
    home: Path, person: str, act: Callable[[Desk, people.Person], None], *, as_json: bool
) -> None:
    def story(desk: Desk) -> Person:
        act(desk, _person(desk, person))
        return views.show_person(desk.tx, _person(desk, person))

    print_one(*ask(home, story, write=True), person_line, as_json=as_json)


def _person(desk: Desk, ref: str) -> people.Person:
    return desk.door.rulings.find_person(desk.tx, word(ref))


# Chats and agent groups


def list_chats(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, _chats)
    print_list(found, locale, chat_line, "chats-head-none", as_json=as_json)


def set_strangers(home: Path, chat: str, policy: str, *, as_json: bool) -> None:
    chosen = read_choice(UnknownSenders, word(policy))

    def story(desk: Desk) -> Chat:
        desk.door.rulings.set_strangers(desk.tx, desk.by, _chat(desk, chat), chosen, now())
        return _shown(desk, chat)

    print_one(*ask(home, story, write=True), chat_line, as_json=as_json)


def list_wirings(home: Path, chat: str | None, *, as_json: bool) -> None:
    def story(desk: Desk) -> list[Chat]:
        return [_shown(desk, chat)] if chat is not None else [each for each in _chats(desk) if each.wirings]

    _print_wirings(*ask(home, story), as_json=as_json)


def set_wiring(
    home: Path,
    chat: str,
    group: str,
    *,
    engage: str | None,
    pattern: str | None,
    senders: str | None,
    ignored: str | None,
    priority: int | None,
    as_json: bool,
) -> None:
    """A pattern that would not be looked at is refused, rather than forgotten without a word."""
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

    def story(desk: Desk) -> list[Chat]:
        desk.door.rulings.set_wiring(desk.tx, desk.by, _chat(desk, chat), word(group), wanted, now())
        return [_shown(desk, chat)]

    _print_wirings(*ask(home, story, write=True), as_json=as_json)


def remove_wiring(home: Path, chat: str, group: str, *, as_json: bool) -> None:
    def story(desk: Desk) -> list[Chat]:
        desk.door.rulings.unwire(desk.tx, desk.by, _chat(desk, chat), word(group), now())
        return [_shown(desk, chat)]

    _print_wirings(*ask(home, story, write=True), as_json=as_json)


def _chats(desk: Desk) -> list[Chat]:
    return views.show_chats(desk.tx, desk.door.groups, desk.by.language)


def _chat(desk: Desk, ref: str) -> messages.Chat:
    return desk.door.rulings.find_chat(desk.tx, word(ref))


def _shown(desk: Desk, ref: str) -> Chat:
    return views.show_chat(desk.tx, desk.door.groups, desk.by.language, _chat(desk, ref))


def list_groups(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, lambda desk: views.show_groups(desk.tx, desk.door.groups))
    print_list(found, locale, group_line, "groups-head-none", as_json=as_json)


def add_group(home: Path, name: str, company: str | None, *, as_json: bool) -> None:
    works_for = word(name if company is None else company)

    def story(desk: Desk) -> Group:
        folder = desk.door.rulings.found_group(desk.tx, desk.by, word(name), works_for, now())
        return next(each for each in views.show_groups(desk.tx, desk.door.groups) if each.name == folder)

    made, locale = ask(home, story, write=True)
    if not as_json:
        typer.echo(say(locale.speaks, "group-made", group=made.name))
    print_one(made, locale, group_line, as_json=as_json)


def _print_wirings(chats: Sequence[Chat], locale: Locale, *, as_json: bool) -> None:
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
