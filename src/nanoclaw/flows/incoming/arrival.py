"""A stored message on its way in, with everything known about it, and how it can end before it reaches an agent."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from nanoclaw.admission.judge import AgentOutcome, AgentVerdict
from nanoclaw.delivery import outbox
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, End, Message
from nanoclaw.domain.parcels import Author, Button
from nanoclaw.domain.people import Actor, Person, Rights
from nanoclaw.domain.turns import Session
from nanoclaw.domain.wirings import ChatKind, EngageMode, Wiring
from nanoclaw.durable import messages, session_queue, sessions, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note_all

_MENTION = re.compile(r"^@\w+[,:]?\s+")
_ALBUM_WINDOW = timedelta(seconds=0.7)  # pictures sent together arrive within it


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A message in the transaction that stored it, or that decided about it later."""

    tx: Tx
    message: Message
    chat: Chat
    person: Person
    rights: Rights
    wirings: tuple[Wiring, ...]
    locale: Locale
    at: datetime
    album: bool = False  # more pictures of it may come
    steps: list[tuple[Event, datetime, dict[str, object]]] = field(default_factory=list)

    @property
    def actor(self) -> Actor:
        """Its sender as the actor of a change."""
        return Actor.of(self.person, self.rights, via=self.chat.channel, language=self.locale.speaks)

    @property
    def words(self) -> str:
        """Its text without the mention that addressed the bot in a group."""
        text = self.message.text.strip()
        return text if self.chat.kind is ChatKind.PRIVATE else _MENTION.sub("", text)

    def note(self, event: Event, **detail: object) -> None:
        self.steps.append((event, self.at, detail))

    def write_steps(self) -> None:
        if self.steps:
            note_all(self.tx, self.message.id, self.steps)


def drop(arrival: Arrival, reason: str) -> None:
    arrival.note(Event.DROPPED, reason=reason)
    messages.end(arrival.tx, arrival.message.id, End.DROPPED, reason)


def answer(arrival: Arrival, said: str, how: End, buttons: Sequence[Button] = ()) -> None:
    """The host itself answers the message, which ends it."""
    messages.end(arrival.tx, arrival.message.id, how)
    tell(arrival, said, buttons)


def tell(arrival: Arrival, said: str, buttons: Sequence[Button] = ()) -> None:
    message = arrival.message
    outbox.post(
        arrival.tx,
        chat_id=message.chat_id,
        thread=message.thread,
        author=Author.HOST,
        text=said,
        at=arrival.at,
        message_id=message.id,
        buttons=buttons,
    )


def queue(arrival: Arrival, groups: tuple[str, ...], *, not_before: datetime | None = None) -> None:
    """Give the message to every agent that engages, in its own session. An idle session starts at once."""
    tx, message, at = arrival.tx, arrival.message, arrival.at
    for group in groups:
        session = _session(arrival, group)
        session_queue.join(tx, message.id, session.id, not_before=not_before)
        if not_before:
            work.due(tx, work.WAKE, session.id, not_before)
        elif message.is_ready:
            # Not earlier: a burst being gathered, or a turn waiting for its retry, keeps its time.
            work.due(tx, work.TURN, session.id, at, hasten=False)
        arrival.note(Event.QUEUED, group=group)
    if not message.is_ready:
        work.due(tx, work.FILES, message.id, at + _ALBUM_WINDOW if arrival.album else at)


def keep(arrival: Arrival, findings: Iterable[AgentVerdict]) -> None:
    """Keep it for agents that read it with the next message that wakes them; its files stay on their network."""
    for group, reason in (
        (each.group, each.reason) for each in findings if each.outcome is AgentOutcome.KEPT
    ):
        session = _session(arrival, group)
        session_queue.keep(arrival.tx, arrival.message.id, session.id)
        # Even if it is already set: a turn may be reading the others right now, and clear it.
        sessions.keep(arrival.tx, session.id, keeps=True)
        arrival.note(Event.KEPT, group=group, reason=reason)


def _session(arrival: Arrival, group: str) -> Session:
    message = arrival.message
    session = sessions.find_or_open(arrival.tx, group, message.chat_id, message.thread, arrival.at)
    wiring = next((each for each in arrival.wirings if each.group == group), None)
    stays = wiring is not None and wiring.engage.mode is EngageMode.MENTION_STICKY
    if stays and message.addressed and session.called_at is None:
        sessions.call(arrival.tx, session.id, arrival.at)
    return session
