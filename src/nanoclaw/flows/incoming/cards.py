"""The cards that ask about a stranger who wants to speak, and about a chat that belongs to no agent group yet.

Every decider gets one, in their own language, in their own chat. The first decision is shown on all of them.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, End, Message
from nanoclaw.domain.parcels import NEW_CHAT, SENDER, Button
from nanoclaw.domain.people import Person
from nanoclaw.domain.shown_text import shown as shown_text
from nanoclaw.domain.text import as_written
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import approvals, memberships, messages, people
from nanoclaw.durable.approvals import Request
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.flows.incoming.arrival import Arrival
from nanoclaw.texts import say

ALLOW, DENY, BLOCK = "allow", "deny", "block"
CREATE, IGNORE, NEVER = "create", "ignore", "never"

_MOST_OPEN = 50  # requests at once: nobody can flood the owner with cards
_MOST_OF_ONE = 5  # per person: one who adds us to many chats leaves room for others
_MOST_HELD = 20  # messages for one request
_MOST_GROUPS = 12  # buttons on a card
_SHOWN = 600
SHORT = 5  # letters of an id, for people to type


class Cards:
    def __init__(self, alerts: Alerts, groups: Groups) -> None:
        self._alerts = alerts
        self._groups = groups

    def ask(self, arrival: Arrival, wanted: Sequence[str]) -> str | None:
        """Hold the message and ask about its sender or, if no groups are wanted, about the chat.

        One card covers everything they write meanwhile. Returns the reason if the message cannot be held.
        """
        tx, message, person = arrival.tx, arrival.message, arrival.person
        known = (
            approvals.of_sender(tx, message.chat_id, person.id)
            if wanted
            else approvals.of_chat(tx, message.chat_id)
        )
        if known is None and not _has_room(tx, person):
            return "too-many-requests"
        held = approvals.held_for(tx, known.id) if known else []
        if len(held) >= _MOST_HELD:
            if wanted:
                return "too-many-held"
            _give_up(tx, held[0], arrival.at)  # for a chat, the latest counts
        request = known or self._open(arrival, wanted)
        approvals.hold(tx, message.id, request.id)
        if known is None:
            self.post(tx, request, arrival.chat, person, message.text or _named_files(arrival))
        return None

    def ask_about_chat(self, tx: Tx, chat: Chat, person: Person, at: datetime) -> None:
        """Before anyone has said anything there."""
        request = approvals.open_for_chat(tx, chat.id, person.id, at) if _has_room(tx, person) else None
        if request:
            self.post(tx, request, chat, person, "")

    def post(self, tx: Tx, request: Request, chat: Chat, person: Person, said: str) -> None:
        """`said` is empty when we were added to a chat where nobody has said anything yet."""

        def words(language: str) -> tuple[str, Sequence[Button]]:
            if request.is_about_chat:
                return self._about_chat(language, request, chat, person, said)
            return self._about_sender(language, request, chat, person, said)

        self._alerts.post(tx, request.id, words, to=memberships.approvers(tx, request.groups))

    def settle(self, tx: Tx, request: Request, key: str, **values: str) -> None:
        """The cards show the decision, each in its reader's language, and lose their buttons."""
        readers = dict(people.alert_chats(tx, memberships.approvers(tx, request.groups)))
        for card in outbox.alerts_about(tx, request.id):
            language = Locale(language=readers.get(card.chat_id)).or_else(self._alerts.locale).speaks
            outbox.amend(tx, card.id, f"{card.text}\n\n*{say(language, key, **values)}*", (), now())

    def _open(self, arrival: Arrival, wanted: Sequence[str]) -> Request:
        tx, chat_id, person_id, at = arrival.tx, arrival.chat.id, arrival.person.id, arrival.at
        opened = (
            approvals.open_for_sender(tx, chat_id, person_id, wanted, at)
            if wanted
            else approvals.open_for_chat(tx, chat_id, person_id, at)
        )
        if opened:
            return opened
        # Another host was faster: its request counts, unless it is already decided.
        found = approvals.of_sender(tx, chat_id, person_id) if wanted else approvals.of_chat(tx, chat_id)
        return found or self._open(arrival, wanted)

    def _about_sender(
        self, language: str, request: Request, chat: Chat, person: Person, said: str
    ) -> tuple[str, Sequence[Button]]:
        text = say(
            language,
            "card-sender",
            who=shown(person),
            chat=_where(language, chat),
            agents=", ".join(request.groups),
            said=_quoted(said, language),
            id=short(request.id),
        )
        choices = ((ALLOW, "button-allow"), (DENY, "button-deny"), (BLOCK, "button-block"))
        return text, [
            Button(label=say(language, label), data=f"{SENDER}:{request.id}:{choice}")
            for choice, label in choices
        ]

    def _about_chat(
        self, language: str, request: Request, chat: Chat, person: Person, said: str
    ) -> tuple[str, Sequence[Button]]:
        text = say(
            language,
            f"card-chat-{'joined' if not said else 'alone' if chat.kind is ChatKind.PRIVATE else 'said'}",
            who=shown(person),
            chat=_where(language, chat),
            said=_quoted(said, language),
            id=short(request.id),
        )
        groups = [
            Button(label=name, data=f"{NEW_CHAT}:{request.id}:{token(name)}")
            for name in sorted(self._groups.names(), key=self._groups.is_other)[:_MOST_GROUPS]
        ]
        others = [(CREATE, "button-create"), (IGNORE, "button-ignore"), (NEVER, "button-never")]
        if chat.kind is ChatKind.PRIVATE:
            others.append((BLOCK, "button-block"))
        return text, [
            *groups,
            *(
                Button(label=say(language, label), data=f"{NEW_CHAT}:{request.id}:{choice}")
                for choice, label in others
            ),
        ]


def _has_room(tx: Tx, person: Person) -> bool:
    is_one_too_many = len(approvals.of_person(tx, person.id)) >= _MOST_OF_ONE
    return not is_one_too_many and approvals.count_open(tx) < _MOST_OPEN


def _give_up(tx: Tx, message: Message, at: datetime) -> None:
    approvals.hold(tx, message.id, None)
    messages.end(tx, message.id, End.DROPPED, "replaced")
    note(tx, message.id, Event.DROPPED, at, reason="replaced")


def token(name: str) -> str:
    """A name of any length in the few bytes that a button has."""
    return "=" + hashlib.sha256(name.encode()).hexdigest()[:12]


def short(request_id: str) -> str:
    """The end of an id, for people to type: the beginning only tells the time."""
    return request_id[-SHORT:]


def shown(person: Person) -> str:
    """Their name, and something they cannot freely choose."""
    called = f"@{person.username}, " if person.username else ""
    return as_written(f"{person.name} ({called}{person.handle})")


def _where(language: str, chat: Chat) -> str:
    return say(language, f"card-in-{chat.kind}", title=as_written(chat.title))


def _quoted(said: str, language: str) -> str:
    whole = shown_text(said)
    cut = whole[:_SHOWN] + ("…" if len(whole) > _SHOWN else "")
    quoted = "\n".join(f"> {as_written(line)}" for line in cut.split("\n"))
    hidden = max(0, len(whole) - _SHOWN)
    return f"{quoted}\n\n{say(language, 'card-said-cut', hidden=hidden)}" if hidden else quoted


def _named_files(arrival: Arrival) -> str:
    return ", ".join(f"[{file.kind.value}: {file.name}]" for file in arrival.message.files)
