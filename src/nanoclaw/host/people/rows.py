"""People, chats, wirings, requests and what became of messages, as the page and the command line show them."""

from collections.abc import Mapping

from nanoclaw.console import keeper as rows
from nanoclaw.context.groups import Groups
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.wirings import Wiring
from nanoclaw.durable import approvals, people
from nanoclaw.durable.audit import Entry
from nanoclaw.durable.drops import Drop
from nanoclaw.durable.store import Tx
from nanoclaw.flows.door.cards import ALLOW, BLOCK, DENY, IGNORE, NEVER, short
from nanoclaw.flows.door.rule_lists import told
from nanoclaw.flows.ruling import NOBODY, engaged
from nanoclaw.texts import say


def person_row(one: Person, within: Mapping[str, Role]) -> rows.PersonRow:
    return rows.PersonRow(
        id=one.id,
        handle=one.handle,
        name=one.name,
        username=one.username,
        role=NOBODY if one.role is Role.STRANGER else one.role.value,
        memberships=tuple(rows.Membership(group=group, role=role.value) for group, role in within.items()),
        blocked=one.blocked,
    )


def chat_row(groups: Groups, language: str, chat: Chat, wired: list[Wiring]) -> rows.ChatRow:
    """The first agent that is there says for which company the chat is."""
    companies = (groups.company_of(wiring.group) for wiring in wired)
    company = next((each for each in companies if each is not None), None)
    return rows.ChatRow(
        id=chat.id,
        channel=chat.channel,
        address=chat.address,
        title=chat.title,
        kind=chat.kind.value,
        strangers=chat.strangers.value,
        sentence=say(language, f"strangers-{chat.strangers}"),
        wirings=tuple(_wiring_row(groups, language, wiring, company) for wiring in wired),
    )


def _wiring_row(groups: Groups, language: str, wiring: Wiring, company: str | None) -> rows.WiringRow:
    own = groups.company_of(wiring.group)
    fault = None
    if own is None:
        fault = say(language, "reason-group-gone")
    elif own != company:
        fault = say(language, "reason-other-company")
    return rows.WiringRow(
        group=wiring.group,
        engage=wiring.engage.mode.value,
        pattern=wiring.engage.pattern,
        senders=wiring.senders.value,
        ignored=wiring.ignored.value,
        priority=wiring.priority,
        sentence=engaged(language, wiring.engage),
        fault=fault,
    )


def request_row(tx: Tx, groups: Groups, language: str, request: approvals.Request) -> rows.RequestRow:
    chat, person = people.chat(tx, request.chat_id), people.person(tx, request.person_id)
    if request.is_about_chat:
        choices = [rows.Choice(value=name, label=name) for name in groups.names()]
        choices += [_choice(language, value) for value in (IGNORE, NEVER)]
    else:
        choices = [_choice(language, value) for value in (ALLOW, DENY, BLOCK)]
    return rows.RequestRow(
        id=request.id,
        short=short(request.id),
        about="chat" if request.is_about_chat else "sender",
        at=request.created_at,
        chat=chat.title if chat else "?",
        person=person.name,
        handle=person.handle,
        groups=request.groups,
        said=tuple(message.text for message in approvals.held_for(tx, request.id)),
        choices=tuple(choices),
    )


def drop_row(language: str, drop: Drop) -> rows.DropRow:
    return rows.DropRow(
        id=drop.id,
        at=drop.at,
        chat=drop.chat,
        channel=drop.channel,
        sender=drop.sender,
        handle=drop.handle,
        text=drop.text,
        reason=drop.reason,
        sentence=say(language, f"reason-{drop.reason}"),
    )


def audit_row(locale: Locale, entry: Entry) -> rows.AuditRow:
    return rows.AuditRow(
        id=entry.id,
        at=entry.at,
        name=entry.name,
        handle=entry.handle,
        via=entry.via,
        action=entry.action,
        sentence=told(locale, entry),
    )


def _choice(language: str, value: str) -> rows.Choice:
    return rows.Choice(value=value, label=say(language, f"button-{value}"))
