"""The rows of proposed changes to context files: the old text, the new text, and the question about it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.news import EVERY_CHAT, QuestionChanged
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.knowledge_tables import context_proposals
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions


class ProposalState(StrEnum):
    OPEN = "open"  # people are asked, or have just decided
    EDITING = "editing"  # a person was asked for their own text
    WRITTEN = "written"  # approved, and the file says it; the commit is still to come
    APPLIED = "applied"
    CANCELLED = "cancelled"
    OUTDATED = "outdated"  # the file had changed meanwhile: another proposal replaced it


class ProposalSource(StrEnum):
    CHAT = "chat"
    FILE = "file"
    INTERVIEW = "interview"
    PAGE = "page"
    COMMAND_LINE = "command line"
    GIT = "git"


_WAITING = (ProposalState.OPEN.value, ProposalState.EDITING.value)
_DONE = (ProposalState.WRITTEN.value, ProposalState.APPLIED.value)
_UNDONE = (*_WAITING, ProposalState.WRITTEN.value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    id: str
    company: str
    file: str  # product/pricing
    before: str | None  # None: there was no file
    after: str | None  # None: it is to be deleted
    summary: str
    source: ProposalSource
    created_at: datetime
    state: ProposalState = ProposalState.OPEN
    question_id: str | None = None
    person_id: str | None = None
    chat_id: str | None = None
    session_id: str | None = None
    turn_id: str | None = None
    origin: str | None = None
    decided_at: datetime | None = None

    @property
    def is_waiting(self) -> bool:
        return self.state.value in _WAITING


def new_proposal_id() -> str:
    return new_id("z")


def add(tx: Tx, proposal: Proposal) -> None:
    tx.execute(sa.insert(context_proposals).values(asdict(proposal)))


def get(tx: Tx, proposal_id: str) -> Proposal | None:
    return _one(tx, context_proposals.c.id == proposal_id)


def with_origin(tx: Tx, origin: str) -> Proposal | None:
    return _one(tx, context_proposals.c.origin == origin)


def lineage(tx: Tx, origin: str) -> Iterator[Proposal]:
    """The proposal with this origin, and those that replaced it one after the other."""
    while found := with_origin(tx, origin):
        yield found
        origin = successor_of(origin)


def successor_of(origin: str) -> str:
    """The origin of the proposal that replaces it if the file has changed meanwhile."""
    return f"{origin} again"


def about(tx: Tx, question_id: str) -> Proposal | None:
    """The proposal that a question is about."""
    return _one(tx, context_proposals.c.question_id == question_id)


def waiting(tx: Tx, company: str, file: str | None = None) -> list[Proposal]:
    """Proposals that people have yet to decide, oldest first."""
    found = sa.select(context_proposals).where(
        context_proposals.c.company == company, context_proposals.c.state.in_(_WAITING)
    )
    if file is not None:
        found = found.where(context_proposals.c.file == file)
    return [_proposal(row) for row in tx.execute(found.order_by(context_proposals.c.id))]


def last_written(tx: Tx, company: str, file: str, but: str) -> Proposal | None:
    """The last one that changed this file, leaving out the one named."""
    table = context_proposals
    found = (
        sa.select(table)
        .where(table.c.company == company, table.c.file == file, table.c.id != but, table.c.state.in_(_DONE))
        .order_by(table.c.decided_at.desc(), table.c.id.desc())
        .limit(1)
    )
    row = tx.execute(found).first()
    return _proposal(row) if row else None


def decided(tx: Tx, company: str) -> list[Proposal]:
    """Proposals whose question has ended but which are not fully carried out, first decided first."""
    table, asked = context_proposals, human_interactions
    found = (
        sa.select(table)
        .join(asked, asked.c.id == table.c.question_id)
        .where(table.c.company == company, table.c.state.in_(_UNDONE), asked.c.status != "pending")
        .order_by(asked.c.resolved_at, table.c.id)
    )
    return [_proposal(row) for row in tx.execute(found)]


def of_session(tx: Tx, session_id: str) -> list[Proposal]:
    found = sa.select(context_proposals).where(context_proposals.c.session_id == session_id)
    return [_proposal(row) for row in tx.execute(found.order_by(context_proposals.c.id))]


def of_turn(tx: Tx, turn_id: str) -> list[Proposal]:
    found = sa.select(context_proposals).where(context_proposals.c.turn_id == turn_id)
    return [_proposal(row) for row in tx.execute(found.order_by(context_proposals.c.id))]


def recent(tx: Tx, company: str, limit: int) -> list[Proposal]:
    found = sa.select(context_proposals).where(context_proposals.c.company == company)
    return [_proposal(row) for row in tx.execute(found.order_by(context_proposals.c.id.desc()).limit(limit))]


def mark(tx: Tx, proposal_id: str, **values: object) -> None:
    """Change a proposal and announce its question again: a reader saw it still waiting when the question ended."""
    changed = sa.update(context_proposals).where(context_proposals.c.id == proposal_id).values(values)
    question_id = tx.execute(changed.returning(context_proposals.c.question_id)).scalar()
    if question_id:
        announce(tx, EVERY_CHAT, QuestionChanged(question_id))


def _one(tx: Tx, which: sa.ColumnElement[bool]) -> Proposal | None:
    row = tx.execute(sa.select(context_proposals).where(which)).first()
    return _proposal(row) if row else None


def _proposal(row: Any) -> Proposal:
    found = row._mapping
    return Proposal(
        **{**found, "state": ProposalState(found["state"]), "source": ProposalSource(found["source"])}
    )
