"""The commands that manage people, their roles, chats and agent groups. Each prints the new state."""

from collections.abc import Callable
from typing import Annotated

import typer

from nanoclaw.cli.options import AsJson, help_of, lists_alone
from nanoclaw.cli.output import print_list, print_one
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
from nanoclaw.cli.people.lines import chat_line, group_line, person_line
from nanoclaw.console import people_shapes as shapes
from nanoclaw.console import people_views as views
from nanoclaw.domain import people as persons
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.wirings import UnknownSenders
from nanoclaw.durable.clock import now
from nanoclaw.flows.incoming.access import NOBODY, read_choice, read_role
from nanoclaw.texts import say

app = typer.Typer()
people = typer.Typer(help=help_of("people"))
roles = typer.Typer(help=help_of("roles"))
chats = typer.Typer(help=help_of("chats"))
groups = typer.Typer(help=help_of("groups"))
app.add_typer(people, name="people")
app.add_typer(roles, name="roles")
app.add_typer(chats, name="chats")
app.add_typer(groups, name="groups")

Person = Annotated[str, typer.Argument(help=help_of("person"))]
WithinGroup = Annotated[str | None, typer.Option("--group", help=help_of("within-group"))]

# People


@people.command("list", help=help_of("people-list"))
def list_people(as_json: AsJson = False) -> None:
    found, locale = ask(lambda owner: views.show_people(owner.tx))
    print_list(found, locale, person_line, "people-none", as_json=as_json)


lists_alone(people, list_people)


@roles.command("list", help=help_of("roles-list"))
def list_roles(as_json: AsJson = False) -> None:
    found, locale = ask(lambda owner: views.show_people(owner.tx))
    having = [person for person in found if person.role != NOBODY or person.memberships]
    print_list(having, locale, person_line, "people-head-none", as_json=as_json)


lists_alone(roles, list_roles)


@people.command("block", help=help_of("people-block"))
def block(person: Person, as_json: AsJson = False) -> None:
    _block(person, blocked=True, as_json=as_json)


@people.command("unblock", help=help_of("people-unblock"))
def unblock(person: Person, as_json: AsJson = False) -> None:
    _block(person, blocked=False, as_json=as_json)


def _block(person: str, *, blocked: bool, as_json: bool) -> None:
    def act(owner: AsOwner, found: persons.Person) -> None:
        owner.admission.access.block(owner.tx, owner.by, found, now(), blocked=blocked)

    _change_person(person, act, as_json=as_json)


@roles.command("give", help=help_of("roles-give"))
def give_role(
    person: Person,
    role: Annotated[str, typer.Argument(help=help_of("role"))],
    group: WithinGroup = None,
    as_json: AsJson = False,
) -> None:
    given = read_role(word(role))

    def act(owner: AsOwner, found: persons.Person) -> None:
        access = owner.admission.access
        where = access.usual_group(given) if group is None else word(group)
        access.give_role(owner.tx, owner.by, found, given, where, now())

    _change_person(person, act, as_json=as_json)


@roles.command("take", help=help_of("roles-take"))
def take_role(person: Person, group: WithinGroup = None, as_json: AsJson = False) -> None:
    def act(owner: AsOwner, found: persons.Person) -> None:
        owner.admission.access.take_role(owner.tx, owner.by, found, word_or_none(group), now())

    _change_person(person, act, as_json=as_json)


def _change_person(person: str, act: Callable[[AsOwner, persons.Person], None], *, as_json: bool) -> None:
    def story(owner: AsOwner) -> shapes.Person:
        act(owner, _person(owner, person))
        return views.show_person(owner.tx, _person(owner, person))

    print_one(*ask(story, write=True), person_line, as_json=as_json)


def _person(owner: AsOwner, ref: str) -> persons.Person:
    return owner.admission.access.find_person(owner.tx, word(ref))


# Chats and agent groups


@chats.command("list", help=help_of("chats-list"))
def list_chats(as_json: AsJson = False) -> None:
    found, locale = ask(lambda owner: views.show_chats(owner.tx, owner.admission.groups, owner.by.language))
    print_list(found, locale, chat_line, "chats-head-none", as_json=as_json)


lists_alone(chats, list_chats)


@chats.command("strangers", help=help_of("chats-strangers"), context_settings=WITH_ADDRESS)
def set_strangers(
    chat: Chat, policy: Annotated[str, typer.Argument(help=help_of("policy"))], as_json: AsJson = False
) -> None:
    chosen = read_choice(UnknownSenders, word(policy))

    def story(owner: AsOwner) -> shapes.Chat:
        owner.admission.access.set_strangers(owner.tx, owner.by, find_chat(owner, chat), chosen, now())
        return show_chat(owner, chat)

    print_one(*ask(story, write=True), chat_line, as_json=as_json)


@chats.command("memory", help=help_of("chats-memory"), context_settings=WITH_ADDRESS)
def set_memory(
    chat: Chat, mode: Annotated[str, typer.Argument(help=help_of("memory-mode"))], as_json: AsJson = False
) -> None:
    chosen = read_choice(MemoryMode, word(mode))

    def story(owner: AsOwner) -> shapes.Chat:
        owner.admission.access.set_memory(owner.tx, owner.by, find_chat(owner, chat), chosen, now())
        return show_chat(owner, chat)

    print_one(*ask(story, write=True), chat_line, as_json=as_json)


@groups.command("list", help=help_of("groups-list"))
def list_groups(as_json: AsJson = False) -> None:
    found, locale = ask(lambda owner: views.show_groups(owner.tx, owner.admission.groups))
    print_list(found, locale, group_line, "groups-head-none", as_json=as_json)


lists_alone(groups, list_groups)


@groups.command("add", help=help_of("groups-add"))
def add_group(
    name: Annotated[str, typer.Argument(help=help_of("group-name"))],
    company: Annotated[str | None, typer.Option(help=help_of("company"))] = None,
    as_json: AsJson = False,
) -> None:
    works_for = word(name if company is None else company)

    def story(owner: AsOwner) -> shapes.Group:
        folder = owner.admission.access.found_group(owner.tx, owner.by, word(name), works_for, now())
        return next(
            each for each in views.show_groups(owner.tx, owner.admission.groups) if each.name == folder
        )

    made, locale = ask(story, write=True)
    if not as_json:
        typer.echo(say(locale.speaks, "group-made", group=made.name))
    print_one(made, locale, group_line, as_json=as_json)
