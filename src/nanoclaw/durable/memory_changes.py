"""What was asked of a company's memory: rows that wait until the company's writer has put them into the files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.memory import Trust
from nanoclaw.domain.news import EVERY_CHAT, MemoryChanged
from nanoclaw.durable import work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.knowledge_tables import memory_changes
from nanoclaw.durable.store import Tx

_ADD = sa.insert(memory_changes)
_OF_ORIGIN = sa.select(memory_changes.c.id).where(memory_changes.c.origin == sa.bindparam("of"))
_WAITING = (
    sa.select(memory_changes)
    .where(memory_changes.c.company == sa.bindparam("of"), memory_changes.c.state == "waiting")
    .order_by(memory_changes.c.id)
    .limit(sa.bindparam("limit"))
)
_ASKED = (
    sa.select(memory_changes)
    .where(memory_changes.c.company == sa.bindparam("of"), memory_changes.c.state == "asked")
    .order_by(memory_changes.c.id)
)
_SETTLE = sa.update(memory_changes).where(memory_changes.c.id == sa.bindparam("of"))
_COLUMNS = tuple(memory_changes.c.keys())


RECORD = "question "
"""The start of the origin of a decided question's record."""


class Action(StrEnum):
    ADD = "add"
    CORRECT = "correct"
    FORGET = "forget"
    RESTORE = "restore"  # undoes a forgetting or a correction
    ACTIVITY = "activity"  # a run of an agent is over
    SECTION = "section"  # of CLAUDE.md
    PURGE = "purge"  # really removed, even from the git history
    MAINTAIN = "maintain"  # duplicates, expiry, archive
    REBUILD = "rebuild"  # the index, from the files


class ChangeState(StrEnum):
    ASKED = "asked"  # people decide first: a member's proposal, or a decision that contradicts another
    WAITING = "waiting"
    WRITTEN = "written"
    QUARANTINED = "quarantined"  # kept as it came, with the reason, until a person looks at it
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """`body` is the line to write, or the content of an activity or section."""

    company: str
    action: Action
    trust: Trust
    created_at: datetime
    id: str = field(default_factory=lambda: new_id("y"))
    state: ChangeState = ChangeState.WAITING
    entry_id: str | None = None
    body: Mapping[str, Any] | None = None
    reason: Mapping[str, Any] | None = None
    person_id: str | None = None
    chat_id: str | None = None
    message_id: str | None = None
    turn_id: str | None = None
    origin: str | None = None
    written_at: datetime | None = None


def ask(tx: Tx, change: Change, *, after: timedelta | None = None) -> str:
    """Store it and make its company's writer due, `after` a while if there is no hurry. Repeating the same
    `origin` changes nothing. Returns the id.
    """
    if change.origin is not None:
        found = tx.execute(_OF_ORIGIN, {"of": change.origin}).scalar()
        if found is not None:
            return str(found)
    values = {name: getattr(change, name) for name in _COLUMNS}
    tx.execute(_ADD, {**values, "body": change.body and dict(change.body)})
    if change.state is ChangeState.WAITING:
        work.due(tx, work.MEMORY, change.company, change.created_at + (after or timedelta()))
    return change.id


def waiting(tx: Tx, company: str, most: int) -> list[Change]:
    """Waiting changes in the order they were asked for."""
    return [_change(row) for row in tx.execute(_WAITING, {"of": company, "limit": most})]


def asked(tx: Tx, company: str) -> list[Change]:
    """Changes that wait for people's decision."""
    return [_change(row) for row in tx.execute(_ASKED, {"of": company})]


def unwritten(tx: Tx, company: str) -> list[Change]:
    """Changes that wait for the writer or for people."""
    open_states = (ChangeState.ASKED.value, ChangeState.WAITING.value)
    return _listed(tx, memory_changes.c.company == company, memory_changes.c.state.in_(open_states))


def get(tx: Tx, change_id: str) -> Change | None:
    found = _listed(tx, memory_changes.c.id == change_id)
    return found[0] if found else None


def of_origin(tx: Tx, origin: str) -> Change | None:
    found = _listed(tx, memory_changes.c.origin == origin)
    return found[0] if found else None


def change(tx: Tx, change_id: str, **values: object) -> None:
    tx.execute(sa.update(memory_changes).where(memory_changes.c.id == change_id).values(**values))


def written_from(
    tx: Tx, company: str, action: Action, *, turn: str | None, person_id: str | None, since: datetime | None
) -> list[Change]:
    """Written changes of this kind that came from there."""
    wanted = [memory_changes.c.company == company, memory_changes.c.action == action.value]
    wanted.append(memory_changes.c.state == ChangeState.WRITTEN.value)
    if turn is not None:
        wanted.append(memory_changes.c.turn_id == turn)
    if person_id is not None:
        wanted.append(memory_changes.c.person_id == person_id)
    if since is not None:
        wanted.append(memory_changes.c.created_at >= since)
    return _listed(tx, *wanted)


def settle(
    tx: Tx, ids: Sequence[str], state: ChangeState, at: datetime, reason: Mapping[str, Any] | None = None
) -> None:
    values: dict[str, Any] = {"state": state.value, "written_at": at}
    if reason is not None:
        values["reason"] = dict(reason)
    if ids:
        tx.execute(_SETTLE, [{"of": each, **values} for each in ids])
    announce(tx, EVERY_CHAT, MemoryChanged())


def forget_words(tx: Tx, company: str, entry_id: str) -> None:
    """An entry was purged: its rows stay, without what it said."""
    this = sa.and_(memory_changes.c.company == company, memory_changes.c.entry_id == entry_id)
    tx.execute(sa.update(memory_changes).where(this).values(body=None))


def of_turn(tx: Tx, turn_id: str) -> list[Change]:
    return _listed(tx, memory_changes.c.turn_id == turn_id)


def of_entry(tx: Tx, company: str, entry_id: str) -> list[Change]:
    """The changes of an entry, in order."""
    return _listed(tx, memory_changes.c.company == company, memory_changes.c.entry_id == entry_id)


def quarantined(tx: Tx, company: str, most: int = 200) -> list[Change]:
    """Quarantined changes, newest first."""
    rows = tx.execute(
        sa.select(memory_changes)
        .where(memory_changes.c.company == company, memory_changes.c.state == ChangeState.QUARANTINED)
        .order_by(memory_changes.c.id.desc())
        .limit(most)
    )
    return [_change(row) for row in rows]


def _listed(tx: Tx, *where: sa.ColumnElement[bool]) -> list[Change]:
    return [
        _change(row)
        for row in tx.execute(sa.select(memory_changes).where(*where).order_by(memory_changes.c.id))
    ]


def _change(row: Any) -> Change:
    found = dict(row._mapping)
    return Change(
        **{
            **found,
            "action": Action(found["action"]),
            "state": ChangeState(found["state"]),
            "trust": Trust(found["trust"]),
        }
    )
