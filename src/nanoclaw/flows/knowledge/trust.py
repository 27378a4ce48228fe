"""Whose word an agent's memory entry is, judged by the host from the rows; the agent has no say in it.

An entry from a turn has the trust of the person the agent works for. If the turn, or what the model still
sees of earlier ones, contains anything that no member said, it is hearsay, unless members' own words of that
turn cover it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

import sqlalchemy as sa

from nanoclaw.domain.ids import SessionId, TurnId
from nanoclaw.domain.memory import Entry, MemoryMode, Trust
from nanoclaw.domain.messages import FileKind, Message
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.turns import Session
from nanoclaw.durable import memberships, people, session_queue, sessions, tasks
from nanoclaw.durable.knowledge_tables import memory_entries, memory_uses
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import timeline, turns
from nanoclaw.durable.timeline import Event
from nanoclaw.durable.turns import is_result, person_behind, said_by_others
from nanoclaw.flows.knowledge.lines import EntryOrigin
from nanoclaw.memory.analyser import analyse

_TOLD_AGAIN = ("native", "demo")  # runtimes that see only what the host repeats of earlier turns
_SEEN_AGAIN = 20  # turns that the host repeats to them
_MOST_KEPT = 10  # overheard messages
_COVERED = 0.6  # of the words of an entry
_SAME = 0.3  # of the words of an entry are in its correction
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class Replacing(Enum):
    """Whether an entry of a turn may replace another."""

    ALLOWED = auto()
    PROPOSED = auto()  # someone else said it: an admin decides
    REFUSED = auto()


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnWords:
    """What one member said in a turn."""

    trust: Trust
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnSource:
    """A turn as the source of an entry."""

    session: Session
    person: Person
    trust: Trust  # of the person it works for
    may_correct: bool  # whether they may correct what others said
    is_mixed: bool
    mode: MemoryMode
    place: EntryOrigin
    words: tuple[OwnWords, ...]

    @property
    def is_of_stranger(self) -> bool:
        return not self.trust.is_trusted


def source_of(tx: Tx, session_id: SessionId, turn_id: TurnId) -> TurnSource | None:
    """None if nothing was said in it."""
    session = sessions.get(tx, session_id)
    task = tasks.get(tx, session.task) if session.task else None
    said = session_queue.messages_of(tx, turn_id)
    overheard = session_queue.kept_of(tx, turn_id, _MOST_KEPT)
    if not said and task is None:
        return None
    person = people.person(tx, task.owner) if task else person_behind(tx, said[0])
    chat = people.chat(tx, session.chat_id)
    known = memberships.speakers(tx, [*said, *overheard], session.group)
    role = memberships.rights_of(tx, person).role_in(session.group)
    trust = _trust_of(role)
    words = [
        OwnWords(trust=_trust_of(known[each.person_id].role), text=own_words(each))
        for each in (*(() if task else said), *overheard)
        if each.person_id in known and not each.answers and not is_result(each)
    ]
    if task and not task.is_mixed:
        words.append(OwnWords(trust=trust, text=task.prompt))
    is_mixed = (
        not trust.is_trusted
        or bool(task and (task.check or task.is_mixed))
        or any(said_by_others(each, known) for each in (*said, *overheard))
        or _saw_others(tx, session, turn_id)
    )
    return TurnSource(
        session=session,
        person=person,
        trust=trust,
        may_correct=role.may(Role.ADMIN),
        is_mixed=is_mixed,
        mode=chat.memory if chat else MemoryMode.OFF,
        place=EntryOrigin(
            chat_id=session.chat_id,
            message_id=said[-1].id if said else None,
            turn_id=turn_id,
        ),
        words=tuple(each for each in words if each.trust.is_trusted and each.text),
    )


def trust_in(source: TurnSource, text: str) -> Trust:
    """The trust of an entry with this text. May load the dictionary: use a thread."""
    if not source.is_mixed and all(each.trust is source.trust for each in source.words):
        return source.trust
    for each in sorted(source.words, key=lambda words: words.trust is not Trust.OWNER):
        if is_covered(text, [each.text]):
            return each.trust
    together = [each.text for each in source.words]
    is_theirs = not source.is_mixed or (together and is_covered(text, together))
    return Trust.MEMBER if is_theirs else Trust.HEARSAY


def may_replace(source: TurnSource, text: str, trust: Trust, old: Entry) -> Replacing:
    """Hearsay never replaces what is trusted. People replace what they said themselves, admins also what
    others said. In a mixed turn someone else may have chosen the entry, so it must be about the same
    thing. May load the dictionary.
    """
    if not old.trust.is_trusted:
        return Replacing.ALLOWED
    if not trust.is_trusted or (source.is_mixed and not _is_about_the_same(text, old)):
        return Replacing.REFUSED
    is_theirs = source.may_correct or old.person == source.person.handle
    return Replacing.ALLOWED if is_theirs else Replacing.PROPOSED


def _is_about_the_same(text: str, old: Entry) -> bool:
    was = set(analyse(old.text))
    return len(was.intersection(analyse(text))) >= max(1, _SAME * len(was))


def has_heard_others(tx: Tx, session: Session) -> bool:
    """Whether the running turn, or what the model still sees, contains something that no member said."""
    turn = session_queue.open_turn(tx, session.id)
    source = source_of(tx, session.id, turn.id) if turn else None
    return source is None or source.is_mixed


def is_covered(text: str, words: Sequence[str]) -> bool:
    """Whether all its numbers and most of its words were said."""
    said = " ".join(words)
    if not _numbers(text) <= _numbers(said):
        return False
    wanted, known = set(analyse(text)), set(analyse(said))
    return bool(wanted) and len(wanted & known) >= _COVERED * len(wanted)


def own_words(message: Message) -> str:
    """What its sender wrote or spoke: neither what they forwarded nor what a recording says."""
    if not message.in_own_words:
        return ""
    text = message.text
    for file in message.files:
        if file.heard and file.kind is not FileKind.VOICE:
            text = text.replace(file.heard, "")
    return text


def _numbers(text: str) -> set[str]:
    """The numbers in a text; `1,240` and `1240` are the same."""
    return {re.sub(r"[.,](?=\d{3}\b)", "", each) for each in _NUMBER.findall(text)}


def _trust_of(role: Role) -> Trust:
    if role is Role.OWNER:
        return Trust.OWNER
    return Trust.MEMBER if role.may(Role.MEMBER) else Trust.HEARSAY


def _saw_others(tx: Tx, session: Session, turn_id: TurnId) -> bool:
    """Whether this turn, or those the model still sees, contain something that no member said. Hearsay
    recalled from memory counts too: remembering it again must not raise its trust.
    """
    seen = (
        sa.select(turns.c.id)
        .where(
            turns.c.session_id == session.id, turns.c.id > (session.cleared_by or ""), turns.c.id <= turn_id
        )
        .order_by(turns.c.id.desc())
        .limit(None if _keeps_all(tx, session, turn_id) else _SEEN_AGAIN + 1)
    ).subquery()
    mixed = sa.select(turns.c.id).where(turns.c.id.in_(sa.select(seen.c.id)), turns.c.is_mixed.is_(True))
    if tx.execute(mixed.limit(1)).first():
        return True
    used = sa.and_(
        memory_uses.c.company == memory_entries.c.company, memory_uses.c.entry_id == memory_entries.c.id
    )
    found = (
        sa.select(memory_uses.c.entry_id)
        .join(memory_entries, used)
        .where(memory_uses.c.turn_id.in_(sa.select(seen.c.id)), memory_entries.c.trust == Trust.HEARSAY.value)
        .limit(1)
    )
    return tx.execute(found).first() is not None


def _keeps_all(tx: Tx, session: Session, turn_id: TurnId) -> bool:
    """Whether the previous turn's runtime keeps the whole conversation itself, whatever the host repeats to it."""
    before = (
        sa.select(turns.c.id)
        .where(turns.c.session_id == session.id, turns.c.id < turn_id)
        .order_by(turns.c.id.desc())
        .limit(1)
    )
    chosen = (
        sa.select(timeline.c.detail)
        .where(timeline.c.subject == before.scalar_subquery(), timeline.c.event == Event.CHOSEN.value)
        .order_by(timeline.c.id.desc())
        .limit(1)
    )
    row = tx.execute(chosen).first()
    return row is not None and row.detail.get("runtime") not in (None, *_TOLD_AGAIN)
