"""Someone changes who may do what: roles, wirings, policies. Checked against their own rights, and audited.

Chat, command line and page all come here, so the rules are the same and every change is recorded.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from nanoclaw.admission import patterns
from nanoclaw.context.group_creation import GroupCreation
from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Person, Role
from nanoclaw.domain.wirings import (
    ALWAYS,
    Engage,
    EngageMode,
    IgnoredMessages,
    SenderScope,
    UnknownSenders,
    Wiring,
)
from nanoclaw.durable import audit, memberships, people, wirings
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.held_messages import HeldMessages
from nanoclaw.texts import say

E = TypeVar("E", bound=StrEnum)

NOBODY = "none"  # the word for having no role
_ALWAYS = "always"
_SHOWN = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class WiringChange:
    """A change of a wiring; None leaves a value as it is."""

    engage: Engage | None = None
    senders: SenderScope | None = None
    ignored: IgnoredMessages | None = None
    priority: int | None = None


class AccessChanges:
    def __init__(self, *, groups: Groups, group_creation: GroupCreation, waiting: HeldMessages) -> None:
        self._waiting = waiting
        self._groups = groups
        self._group_creation = group_creation

    # People

    def give_role(
        self, tx: Tx, by: Actor, person: Person, role: Role | None, group: str | None, at: datetime
    ) -> None:
        """Give a role in one agent group, or everywhere without one; None removes it. Their held messages are
        released.
        """
        if group is not None and role is not None:
            self._expect_group(by, group)
        self._expect_right(tx, by, person, role, group)
        if role is not None and person.is_anonymous:
            raise Refused("role-anonymous", person=person.name)
        if person.handle == LOCAL_OWNER:
            raise Refused("role-local-owner")
        if group is None:
            people.set_role(tx, person.id, role or Role.STRANGER)
        else:
            memberships.put(tx, person.id, group, role, at)
        action = "role-given" if role else "role-taken"
        audit.record(
            tx,
            by,
            at,
            action,
            person.id,
            person=_named(person),
            role=role or "",
            group=group or "everywhere",
        )
        self._waiting.let_in(tx, by, person, at)

    def take_role(self, tx: Tx, by: Actor, person: Person, group: str | None, at: datetime) -> None:
        """Take away a role. Without a group: the role they have everywhere, otherwise their only role in a group."""
        held = list(memberships.all_of(tx).get(person.id, {}))
        if group is not None or person.role is Role.STRANGER:
            if group is None and len(held) > 1:
                raise Refused("role-which-group", known=", ".join(held))
            if not held or group not in (None, *held):
                raise Refused("role-none", person=person.name)
            group = group or held[0]
        self.give_role(tx, by, person, None, group, at)

    def usual_group(self, role: Role | None) -> str | None:
        """The default group: for a member, the only group there is."""
        names = self._groups.names()
        return names[0] if role is Role.MEMBER and len(names) == 1 else None

    def block(self, tx: Tx, by: Actor, person: Person, at: datetime, *, blocked: bool) -> None:
        self._expect_admin(by, ())
        if blocked and person.handle == by.handle:
            raise Refused("block-self")
        if blocked and person.role.may(Role.ADMIN) and not by.rights.everywhere.may(Role.OWNER):
            raise Refused("block-admin")
        if blocked and person.handle == LOCAL_OWNER:
            raise Refused("role-local-owner")
        people.block(tx, person.id, blocked=blocked)
        audit.record(
            tx,
            by,
            at,
            "blocked" if blocked else "unblocked",
            person.id,
            person=_named(person),
        )
        if blocked:
            self._waiting.give_up_on(tx, by, person, at)

    def find_person(self, tx: Tx, ref: str) -> Person:
        """Find a person by id, handle, `@username` or number."""
        found = people.known_as(tx, ref.strip())
        if len(found) != 1:
            raise NotFound("no-such-person" if not found else "several-people", person=ref)
        return found[0]

    # Chats

    def wire(self, tx: Tx, by: Actor, chat: Chat, group: str, at: datetime) -> None:
        """Wire a chat with the defaults for its kind. Messages that waited for it are released."""
        self._expect_group(by, group)
        known = wirings.groups_of(tx, chat.id)
        self._expect_admin(by, (group, *known))
        if group in known:
            raise Refused("wired-already", group=group, chat=chat.title)
        self._waiting.wire(tx, by, chat, group, at)

    def set_wiring(
        self, tx: Tx, by: Actor, chat: Chat, group: str, change: WiringChange, at: datetime
    ) -> None:
        """Create a wiring, or change the existing one."""
        if group not in wirings.groups_of(tx, chat.id):
            self.wire(tx, by, chat, group, at)
        if change != WiringChange():
            self.change(tx, by, self.wiring_of(tx, chat, group), change, at)

    def unwire(self, tx: Tx, by: Actor, chat: Chat, group: str, at: datetime) -> None:
        self._expect_admin(by, (group,))
        self.wiring_of(tx, chat, group)
        wirings.unwire(tx, chat.id, group)
        audit.record(tx, by, at, "unwired", chat.id, chat=chat.title, group=group)

    def change(self, tx: Tx, by: Actor, wiring: Wiring, change: WiringChange, at: datetime) -> Wiring:
        self._expect_admin(by, (wiring.group,))
        changed = replace(
            wiring,
            engage=_checked(change.engage) if change.engage else wiring.engage,
            senders=change.senders or wiring.senders,
            ignored=change.ignored or wiring.ignored,
            priority=wiring.priority if change.priority is None else change.priority,
        )
        if changed == wiring:
            return wiring
        wirings.change(tx, changed)
        chat = people.chat(tx, wiring.chat_id)
        audit.record(
            tx,
            by,
            at,
            "wiring-changed",
            wiring.chat_id,
            chat=chat.title if chat else "?",
            group=wiring.group,
            before=described(wiring),
            after=described(changed),
        )
        return changed

    def set_strangers(self, tx: Tx, by: Actor, chat: Chat, policy: UnknownSenders, at: datetime) -> None:
        self._expect_admin(by, wirings.groups_of(tx, chat.id))
        people.set_strangers(tx, chat.id, policy)
        before, after = chat.strangers.value, policy.value
        audit.record(tx, by, at, "strangers-set", chat.id, chat=chat.title, before=before, after=after)
        if policy is UnknownSenders.PUBLIC:
            self._waiting.release(tx, by, replace(chat, strangers=policy), at)

    def set_memory(self, tx: Tx, by: Actor, chat: Chat, mode: MemoryMode, at: datetime) -> None:
        """What the agents may do with the memory of their company in this chat."""
        self._expect_admin(by, wirings.groups_of(tx, chat.id))
        people.set_memory(tx, chat.id, mode)
        before, after = chat.memory.value, mode.value
        audit.record(tx, by, at, "memory-set", chat.id, chat=chat.title, before=before, after=after)

    def wiring_of(self, tx: Tx, chat: Chat, group: str | None) -> Wiring:
        """The wiring to this group; without a group, the only one there is."""
        found = wirings.of_chat(tx, chat.id)
        fits = [each for each in found if group in (None, each.group)]
        if len(fits) == 1:
            return fits[0]
        known = ", ".join(each.group for each in found)
        if not found or group is not None:
            raise NotFound("no-such-wiring", group=group or "", chat=chat.title, known=known or "-")
        raise Refused("which-wiring", known=known)

    def find_chat(self, tx: Tx, ref: str) -> Chat:
        """Find a chat by id, address or title."""
        wanted = ref.strip()
        for fits in (
            [chat for chat in people.all_chats(tx) if wanted in (chat.id, chat.address)],
            [chat for chat in people.all_chats(tx) if chat.title.lower() == wanted.lower()],
        ):
            if len(fits) == 1:
                return fits[0]
            if fits:
                raise Refused("several-chats", chat=ref, known=", ".join(chat.id for chat in fits))
        raise NotFound("no-such-chat", chat=ref)

    # Agent groups

    def found_group(self, tx: Tx, by: Actor, name: str, company: str, at: datetime) -> str:
        """Create an agent group. Returns the name of its folder, which is its name from now on."""
        self._expect_admin(by, ())
        folder = self._group_creation.folder_for(name)
        self._group_creation.found(folder, company)
        audit.record(tx, by, at, "group-founded", folder, group=folder, company=company)
        return folder

    def groups_for(self, by: Actor) -> list[str]:
        """The groups they may manage; they must not see the others."""
        return [name for name in self._groups.names() if by.rights.role_in(name).may(Role.ADMIN)]

    def _expect_group(self, by: Actor, group: str) -> None:
        if group not in self._groups.names():
            raise Refused("no-such-group", group=group, known=", ".join(self.groups_for(by)))

    def _expect_right(self, tx: Tx, by: Actor, person: Person, role: Role | None, group: str | None) -> None:
        """Owners appoint owners and admins, global admins appoint admins of a group, and those appoint
        members. Only people who may give a role may take it away.
        """
        if group is None and role is Role.MEMBER:
            raise Refused("member-needs-group", known=", ".join(self.groups_for(by)))
        if group is not None and role is Role.OWNER:
            raise Refused("owner-everywhere")
        if role is None and person.handle == by.handle:  # anyone may give up their own role
            return
        everywhere = by.rights.everywhere
        if group is None:
            own, needed = everywhere, Role.OWNER
        else:
            before = memberships.rights_of(tx, person).within.get(group)
            is_about_admin = Role.ADMIN in (role, before)
            own, needed = everywhere if is_about_admin else by.rights.role_in(group), Role.ADMIN
        if not own.may(needed):
            raise Refused("role-forbidden", role=needed)

    def _expect_admin(self, by: Actor, groups: Collection[str]) -> None:
        if not by.rights.may_in_all(groups, Role.ADMIN):
            raise Refused("role-forbidden", role=Role.ADMIN)


def read_choice(kind: type[E], word: str, *more: str) -> E:
    """Raises Refused, naming the choices; `more` are further words that the caller understands."""
    known = ", ".join((*more, *kind))
    if not word:
        raise Refused("choose", known=known)
    try:
        return kind(word.lower())
    except ValueError:
        raise Refused("no-such-choice", choice=word[:_SHOWN], known=known) from None


def read_role(word: str) -> Role | None:
    """`stranger` is not a role to give: it means having none."""
    given = {**{role.value: role for role in Role if role is not Role.STRANGER}, NOBODY: None}
    if word.lower() not in given:
        raise Refused("no-such-choice", choice=word[:_SHOWN], known=", ".join(given))
    return given[word.lower()]


def read_engage(mode: str, pattern: str | None) -> Engage:
    """A mode by name; `always` is the pattern that matches everything."""
    if mode.lower() == _ALWAYS:
        return Engage(mode=EngageMode.PATTERN, pattern=ALWAYS)
    return Engage(mode=read_choice(EngageMode, mode, _ALWAYS), pattern=pattern)


def read_change(
    *,
    engage: str | None = None,
    pattern: str | None = None,
    senders: str | None = None,
    ignored: str | None = None,
    priority: int | None = None,
) -> WiringChange:
    """A pattern alone implies the pattern mode."""
    has_engage = engage is not None or pattern is not None
    return WiringChange(
        engage=read_engage(EngageMode.PATTERN if engage is None else engage, pattern) if has_engage else None,
        senders=None if senders is None else read_choice(SenderScope, senders),
        ignored=None if ignored is None else read_choice(IgnoredMessages, ignored),
        priority=priority,
    )


def engaged(language: str, engage: Engage) -> str:
    """When an agent engages, as a sentence."""
    if engage.mode is EngageMode.PATTERN and engage.pattern == ALWAYS:
        return say(language, "engage-always")
    return say(language, f"engage-{engage.mode}", pattern=engage.pattern or "")


def _named(person: Person) -> str:
    return f"{person.name} ({person.handle})"


def described(wiring: Wiring) -> str:
    """A wiring in one line."""
    engage = wiring.engage
    pattern = f" {engage.pattern}" if engage.pattern else ""
    return f"{engage.mode}{pattern}, senders {wiring.senders}, ignored {wiring.ignored}, priority {wiring.priority}"


def _checked(engage: Engage) -> Engage:
    if engage.mode is not EngageMode.PATTERN:
        return Engage(mode=engage.mode)
    return Engage(mode=engage.mode, pattern=patterns.check(engage.pattern or ""))
