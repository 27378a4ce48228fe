"""People, chats, wirings, requests and what became of messages, as the API and the command line show them."""

from collections.abc import Mapping

from nanoclaw.console import people_shapes as shapes
from nanoclaw.context.groups import Groups
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.wirings import Wiring
from nanoclaw.durable import approvals, audit, drops, memberships, people, wirings
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.access import NOBODY, engaged
from nanoclaw.flows.incoming.access_lists import told
from nanoclaw.flows.incoming.cards import ALLOW, BLOCK, DENY, IGNORE, NEVER, short
from nanoclaw.texts import say


def show_people(tx: Tx) -> list[shapes.Person]:
    within = memberships.all_of(tx)
    return [_person(one, within.get(one.id, {})) for one in people.everyone(tx)]


def show_person(tx: Tx, one: Person) -> shapes.Person:
    return _person(one, memberships.all_of(tx).get(one.id, {}))


def _person(one: Person, within: Mapping[str, Role]) -> shapes.Person:
    return shapes.Person.of(
        one,
        role=NOBODY if one.role is Role.STRANGER else one.role,
        memberships=[shapes.Membership(group=group, role=role) for group, role in within.items()],
    )


def show_chats(tx: Tx, groups: Groups, language: str) -> list[shapes.Chat]:
    wired: dict[ChatId, list[Wiring]] = {}
    for wiring in wirings.everywhere(tx):
        wired.setdefault(wiring.chat_id, []).append(wiring)
    return [_chat(groups, language, chat, wired.get(chat.id, [])) for chat in people.all_chats(tx)]


def show_chat(tx: Tx, groups: Groups, language: str, chat: Chat) -> shapes.Chat:
    return _chat(groups, language, chat, wirings.of_chat(tx, chat.id))


def _chat(groups: Groups, language: str, chat: Chat, wired: list[Wiring]) -> shapes.Chat:
    """The first existing agent says which company the chat belongs to."""
    companies = (groups.company_of(wiring.group) for wiring in wired)
    company = next((each for each in companies if each is not None), None)
    return shapes.Chat.of(
        chat,
        sentence=say(language, f"strangers-{chat.strangers}"),
        wirings=[_wiring(groups, language, wiring, company) for wiring in wired],
    )


def _wiring(groups: Groups, language: str, wiring: Wiring, company: str | None) -> shapes.Wiring:
    own = groups.company_of(wiring.group)
    fault = None
    if own is None:
        fault = say(language, "reason-group-gone")
    elif own != company:
        fault = say(language, "reason-other-company")
    return shapes.Wiring.of(
        wiring,
        engage=wiring.engage.mode,
        pattern=wiring.engage.pattern,
        sentence=engaged(language, wiring.engage),
        fault=fault,
    )


def show_groups(tx: Tx, groups: Groups) -> list[shapes.Group]:
    main = groups.main().name
    return [
        shapes.Group(
            name=name,
            company=groups.company_of(name) or "",
            main=name == main,
            chats=len(wirings.chats_wired_to(tx, name)),
        )
        for name in groups.names()
    ]


def show_requests(tx: Tx, groups: Groups, language: str) -> list[shapes.Request]:
    return [_request(tx, groups, language, each) for each in approvals.list_open(tx)]


def _request(tx: Tx, groups: Groups, language: str, request: approvals.Request) -> shapes.Request:
    chat, person = people.chat(tx, request.chat_id), people.person(tx, request.person_id)
    if request.is_about_chat:
        choices = [shapes.Choice(value=name, label=name) for name in groups.names()]
        choices += [_choice(language, value) for value in (IGNORE, NEVER)]
    else:
        choices = [_choice(language, value) for value in (ALLOW, DENY, BLOCK)]
    return shapes.Request.of(
        request,
        short=short(request.id),
        about="chat" if request.is_about_chat else "sender",
        at=request.created_at,
        chat=chat.title if chat else "?",
        person=person.name,
        handle=person.handle,
        said=[message.text for message in approvals.held_for(tx, request.id)],
        choices=choices,
    )


def _choice(language: str, value: str) -> shapes.Choice:
    return shapes.Choice(value=value, label=say(language, f"button-{value}"))


def show_drops(tx: Tx, language: str, limit: int, before: str | None = None) -> list[shapes.Drop]:
    found = drops.newest(tx, limit, before)
    return [shapes.Drop.of(drop, sentence=say(language, f"reason-{drop.reason}")) for drop in found]


def show_audit(tx: Tx, locale: Locale, limit: int, before: str | None = None) -> list[shapes.AuditEntry]:
    found = audit.newest(tx, limit, before)
    return [shapes.AuditEntry.of(entry, sentence=told(locale, entry)) for entry in found]


def plain(said: str) -> str:
    """Text that was written for a chat, without its Markdown escapes."""
    return said.replace("\\", "")
