"""The rows of analyses: documents that came back, and what was taken from them."""

from dataclasses import fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.news import EVERY_CHAT, TransferChanged
from nanoclaw.domain.transfers import Analysis, AnalysisState
from nanoclaw.durable import work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.messages import HOST
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages
from nanoclaw.durable.transfer_tables import analyses


def new_analysis_id() -> str:
    return new_id("an")


def add(tx: Tx, analysis: Analysis) -> None:
    values = {_name(each.name): getattr(analysis, each.name) for each in fields(analysis)}
    tx.execute(sa.insert(analyses), values)
    announce(tx, EVERY_CHAT, TransferChanged(analysis.id))


def mark(tx: Tx, analysis_id: str, **changed: Any) -> None:
    """Change these fields, given by name."""
    values = {_name(name): value for name, value in changed.items()}
    tx.execute(sa.update(analyses).where(analyses.c.id == analysis_id).values(values))
    announce(tx, EVERY_CHAT, TransferChanged(analysis_id))


def get(tx: Tx, analysis_id: str) -> Analysis | None:
    row = tx.execute(sa.select(analyses).where(analyses.c.id == analysis_id)).first()
    return _analysis(row) if row else None


def locked(tx: Tx, analysis_id: str) -> Analysis | None:
    """The analysis, locked until this transaction ends."""
    row = tx.execute(sa.select(analyses).where(analyses.c.id == analysis_id).with_for_update()).first()
    return _analysis(row) if row else None


def of_transfer(tx: Tx, transfer_id: str) -> list[Analysis]:
    """The analyses of a transfer, oldest first."""
    wanted = sa.select(analyses).where(analyses.c.transfer_id == transfer_id).order_by(analyses.c.id)
    return [_analysis(row) for row in tx.execute(wanted)]


def is_going_on(tx: Tx, transfer_id: str) -> bool:
    """Whether a document that belongs to this transfer waits for people, or is being read."""
    ours = sa.and_(analyses.c.transfer_id == transfer_id, analyses.c.ended_at.is_(None))
    return bool(tx.execute(sa.select(sa.exists().where(ours))).scalar())


def unmatched(tx: Tx, company: str, before: datetime) -> list[Analysis]:
    """Open analyses brought before this moment whose transfer is not known yet, oldest first."""
    ours = sa.and_(
        analyses.c.company == company, analyses.c.transfer_id.is_(None), analyses.c.ended_at.is_(None)
    )
    wanted = sa.select(analyses).where(ours, analyses.c.created_at < before).order_by(analyses.c.id)
    return [_analysis(row) for row in tx.execute(wanted)]


def asking(tx: Tx, limit: int) -> list[Analysis]:
    """Analyses that wait for someone to say which transfer they belong to, oldest first."""
    wanted = sa.select(analyses).where(analyses.c.state == AnalysisState.ASKING.value)
    return [_analysis(row) for row in tx.execute(wanted.order_by(analyses.c.id).limit(limit))]


def of_document(tx: Tx, company: str, sha256: str) -> list[Analysis]:
    """The analyses of exactly this document, oldest first."""
    wanted = sa.select(analyses).where(analyses.c.company == company, analyses.c.sha256 == sha256)
    return [_analysis(row) for row in tx.execute(wanted.order_by(analyses.c.id))]


def count_asked(tx: Tx, person_id: str) -> int:
    """How many of this person's documents still wait for permission to be read."""
    waits = sa.and_(analyses.c.state == AnalysisState.RECEIVED.value, analyses.c.question_id.is_not(None))
    found = sa.select(sa.func.count()).where(analyses.c.person_id == person_id, waits)
    return int(tx.execute(found).scalar_one())


def began_with(tx: Tx, given_id: str) -> str | None:
    """The message that brought the document from which an agent was given this one."""
    given = sa.select(messages.c.external_id).where(messages.c.id == given_id, messages.c.channel == HOST)
    word, _, analysis_id = (tx.execute(given).scalar() or "").partition(" ")
    found = get(tx, analysis_id) if word == work.ANALYSIS else None
    return found.message_id if found else None


def _name(field: str) -> str:
    return "agent_group" if field == "group" else field


def _analysis(row: Any) -> Analysis:
    values = dict(row._mapping)
    values["group"], values["state"] = values.pop("agent_group"), AnalysisState(values["state"])
    return Analysis(**values)
