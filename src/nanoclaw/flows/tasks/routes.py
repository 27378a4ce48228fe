"""Decides whom the host tells about a task, and where: in its chat, its owner elsewhere, and by another route
if that fails.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId, MessageId, ParcelId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Attachment, Author, Button
from nanoclaw.domain.people import LOCAL_OWNER, Person, Role
from nanoclaw.domain.tasks import Policy, Task
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import memberships, people, wirings
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.deciders import Whereabouts


@dataclass(frozen=True, kw_only=True, slots=True)
class Routes:
    groups: Groups
    whereabouts: Whereabouts

    def locale_of(self, tx: Tx, task: Task) -> Locale:
        """The language and clock for its chat: the owner's own if they are alone there."""
        chat, owner = people.chat(tx, task.chat_id), people.person(tx, task.owner)
        own = self.of_person(owner) if chat and chat.kind is ChatKind.PRIVATE else Locale()
        group = Locale(language=self.groups.locale_of(task.group).language, timezone=task.schedule.timezone)
        return own.or_else(group).or_else(self.whereabouts.locale)

    def is_quiet(self, tx: Tx, task: Task, at: datetime) -> bool:
        """Whether messages to its chat are silent: alone with the owner, in their quiet hours."""
        chat, owner = people.chat(tx, task.chat_id), people.person(tx, task.owner)
        alone = chat is not None and chat.kind is ChatKind.PRIVATE
        return alone and self.whereabouts.quiet_until(owner, at) is not None

    def of_person(self, person: Person) -> Locale:
        return Locale(language=person.language, timezone=person.timezone)

    def in_chat(
        self,
        tx: Tx,
        task: Task,
        text: str,
        at: datetime,
        *,
        buttons: Sequence[Button] = (),
        attachments: Sequence[Attachment] = (),
        origin: str | None = None,
        message_id: MessageId | None = None,
    ) -> ParcelId | None:
        """Post once per origin; as an answer to a message, if there was one."""
        return self._post(
            tx,
            task.chat_id,
            task.thread,
            text,
            at,
            buttons=buttons,
            attachments=attachments,
            origin=origin,
            message_id=message_id,
            silent=message_id is None and self.is_quiet(tx, task, at),
        )

    def owner(
        self, tx: Tx, task: Task, text: str, at: datetime, *, buttons: Sequence[Button] = (), origin: str
    ) -> None:
        """Post in the task's chat, and in the owner's private chats with a bot."""
        places = [task.chat_id, *people.own_chats(tx, people.person(tx, task.owner))]
        self._everywhere(tx, task, dict.fromkeys(places), text, at, buttons, origin)

    def owners(
        self, tx: Tx, task: Task, text: str, at: datetime, *, buttons: Sequence[Button] = (), origin: str
    ) -> None:
        """Tell the owners of this host, and the task's chat unless its owner is alone there."""
        own = people.own_chats(tx, people.person(tx, task.owner))
        places = [chat for one in people.with_role(tx, Role.OWNER) for chat in people.own_chats(tx, one)]
        here = [] if task.chat_id in own else [task.chat_id]
        self._everywhere(tx, task, dict.fromkeys([*here, *places]), text, at, buttons, origin)

    def by_other_route(
        self, tx: Tx, task: Task, text: str, at: datetime, *, buttons: Sequence[Button] = (), origin: str
    ) -> None:
        """Avoid its own chat: use the route it names, else another chat of its owner, else the owners' chats."""
        self._everywhere(tx, task, dict.fromkeys(self._other_routes(tx, task)), text, at, buttons, origin)

    def route(self, tx: Tx, ref: str, group: str) -> list[ChatId]:
        """The chats a name refers to: those of a person, or a chat by id or title. Limited to people of the group: what
        concerns one company is not for people of another."""
        titled = people.titled(tx, ref)
        chat = people.chat(tx, ref) or (titled[0] if len(titled) == 1 else None)
        if chat:
            return [chat.id] if group in wirings.groups_of(tx, chat.id) else []
        persons = people.known_as(tx, ref)
        theirs = (
            people.own_chats(tx, one)
            for one in persons
            if not one.blocked and memberships.rights_of(tx, one).role_in(group).may(Role.MEMBER)
        )
        return next(theirs, [])

    def usual_chat(self, tx: Tx, group: str, for_whom: Sequence[Person]) -> ChatId | None:
        """Where a group writes by default: a private chat with one of these people, otherwise a shared chat."""
        wired = wirings.chats_wired_to(tx, group)
        own = (chat for one in for_whom for chat in people.own_chats(tx, one) if chat in wired)
        shared = (
            chat_id
            for chat_id in wired
            if (chat := people.chat(tx, chat_id)) and chat.kind is not ChatKind.PRIVATE
        )
        return next(own, None) or next(shared, None)

    def check_route(self, tx: Tx, policy: Policy, group: str) -> None:
        """Raises Refused if an alarm would reach nobody."""
        if policy.alarm_to and not self.route(tx, policy.alarm_to, group):
            raise Refused("task-no-route", text=policy.alarm_to[:80])

    def _other_routes(self, tx: Tx, task: Task) -> list[ChatId]:
        if task.policy.alarm_to and (named := self.route(tx, task.policy.alarm_to, task.group)):
            return named
        owner = people.person(tx, task.owner)
        owners = [owner, *people.with_role(tx, Role.OWNER)]
        machine = people.person_named(tx, LOCAL_OWNER)
        for one in (*owners, *([machine] if machine else [])):
            if other := [each for each in people.own_chats(tx, one) if each != task.chat_id]:
                return other
        return [task.chat_id]

    def _everywhere(
        self,
        tx: Tx,
        task: Task,
        places: dict[ChatId, None],
        text: str,
        at: datetime,
        buttons: Sequence[Button],
        origin: str,
    ) -> None:
        for chat_id in places:
            thread = task.thread if chat_id == task.chat_id else None
            self._post(tx, chat_id, thread, text, at, buttons=buttons, origin=f"{origin} {chat_id}")

    def _post(
        self,
        tx: Tx,
        chat_id: ChatId,
        thread: str | None,
        text: str,
        at: datetime,
        *,
        buttons: Sequence[Button],
        origin: str | None,
        attachments: Sequence[Attachment] = (),
        message_id: MessageId | None = None,
        silent: bool = False,
    ) -> ParcelId | None:
        if origin and outbox.posted_for(tx, origin):
            return None
        return outbox.post(
            tx,
            chat_id=chat_id,
            thread=thread,
            author=Author.HOST,
            text=text,
            at=at,
            attachments=attachments,
            buttons=buttons,
            origin=origin,
            message_id=message_id,
            silent=silent,
        )
