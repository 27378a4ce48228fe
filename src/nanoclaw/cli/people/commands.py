"""The commands by which people, their roles, chats and agent groups are ruled. Each prints how things stand now."""

from collections.abc import Awaitable, Callable
from typing import Annotated

import typer

from nanoclaw.cli.options import AsJson, help_of
from nanoclaw.cli.output import print_list, print_one
from nanoclaw.cli.people.asking import WITH_ADDRESS, Chat, ask, word, word_or_none
from nanoclaw.cli.people.lines import chat_line, group_line, person_line
from nanoclaw.console.keeper import ChatRow, GroupRow, PersonRow
from nanoclaw.flows.ruling import NOBODY
from nanoclaw.host.people.keeper import DoorKeeper
from nanoclaw.texts import say

app = typer.Typer()
people = typer.Typer(help=help_of("people"), no_args_is_help=True)
roles = typer.Typer(help=help_of("roles"), no_args_is_help=True)
chats = typer.Typer(help=help_of("chats"), no_args_is_help=True)
groups = typer.Typer(help=help_of("groups"), no_args_is_help=True)
app.add_typer(people, name="people")
app.add_typer(roles, name="roles")
app.add_typer(chats, name="chats")
app.add_typer(groups, name="groups")

Person = Annotated[str, typer.Argument(help=help_of("person"))]
WithinGroup = Annotated[str | None, typer.Option("--group", help=help_of("within-group"))]

# People


@people.command("list", help=help_of("people-list"))
def list_people(as_json: AsJson = False) -> None:
    found, locale = ask(DoorKeeper.people)
    print_list(found, locale, person_line, "people-none", as_json=as_json)


@roles.command("list", help=help_of("roles-list"))
def list_roles(as_json: AsJson = False) -> None:
    found, locale = ask(DoorKeeper.people)
    having = [person for person in found if person.role != NOBODY or person.memberships]
    print_list(having, locale, person_line, "people-head-none", as_json=as_json)


@people.command("block", help=help_of("people-block"))
def block(person: Person, as_json: AsJson = False) -> None:
    _block(person, blocked=True, as_json=as_json)


@people.command("unblock", help=help_of("people-unblock"))
def unblock(person: Person, as_json: AsJson = False) -> None:
    _block(person, blocked=False, as_json=as_json)


def _block(person: str, *, blocked: bool, as_json: bool) -> None:
    named = word(person)
    _change_person(named, lambda keeper: keeper.block(named, blocked=blocked), as_json=as_json)


@roles.command("give", help=help_of("roles-give"))
def give_role(
    person: Person,
    role: Annotated[str, typer.Argument(help=help_of("role"))],
    group: WithinGroup = None,
    as_json: AsJson = False,
) -> None:
    named = word(person)
    _change_person(
        named,
        lambda keeper: keeper.give_role(named, word(role), word_or_none(group)),
        as_json=as_json,
    )


@roles.command("take", help=help_of("roles-take"))
def take_role(person: Person, group: WithinGroup = None, as_json: AsJson = False) -> None:
    named = word(person)
    _change_person(named, lambda keeper: keeper.take_role(named, word_or_none(group)), as_json=as_json)


def _change_person(person: str, act: Callable[[DoorKeeper], Awaitable[None]], *, as_json: bool) -> None:
    async def story(keeper: DoorKeeper) -> PersonRow:
        await act(keeper)
        return await keeper.person(person)

    print_one(*ask(story), person_line, as_json=as_json)


# Chats and agent groups


@chats.command("list", help=help_of("chats-list"))
def list_chats(as_json: AsJson = False) -> None:
    found, locale = ask(DoorKeeper.chats)
    print_list(found, locale, chat_line, "chats-head-none", as_json=as_json)


@chats.command("strangers", help=help_of("chats-strangers"), context_settings=WITH_ADDRESS)
def set_strangers(
    chat: Chat, policy: Annotated[str, typer.Argument(help=help_of("policy"))], as_json: AsJson = False
) -> None:
    named = word(chat)

    async def story(keeper: DoorKeeper) -> ChatRow:
        await keeper.set_strangers(named, word(policy))
        return await keeper.chat(named)

    print_one(*ask(story), chat_line, as_json=as_json)


@groups.command("list", help=help_of("groups-list"))
def list_groups(as_json: AsJson = False) -> None:
    found, locale = ask(DoorKeeper.groups)
    print_list(found, locale, group_line, "groups-head-none", as_json=as_json)


@groups.command("add", help=help_of("groups-add"))
def add_group(
    name: Annotated[str, typer.Argument(help=help_of("group-name"))],
    company: Annotated[str | None, typer.Option(help=help_of("company"))] = None,
    as_json: AsJson = False,
) -> None:
    async def story(keeper: DoorKeeper) -> GroupRow:
        made = await keeper.found_group(word(name), word(name if company is None else company))
        return next(group for group in await keeper.groups() if group.name == made)

    made, locale = ask(story)
    if not as_json:
        typer.echo(say(locale.speaks, "group-made", group=made.name))
    print_one(made, locale, group_line, as_json=as_json)
