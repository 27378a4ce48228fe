"""Adds up the ledger for people: by day in one pass over a covering index, and by any property of a call."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.cost_reports import DearTurn, Grouping, OnTheWay, Sums
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import (
    RESERVED,
    UtcTime,
    costs,
    messages,
    people,
    session_queue,
    sessions,
    task_run_logs,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class CompanyDay:
    """One day of a company on its own clock, from its first moment to that of the next day."""

    company: str
    day: date
    start: datetime
    end: datetime


# All of these are in the index `costs_of_company`: a report by day does not touch the rows themselves.
_SUMS: tuple[sa.ColumnElement[Any], ...] = (
    sa.func.count(),
    sa.func.sum(costs.c.micros),
    sa.func.sum(costs.c.input_tokens + costs.c.cache_read_tokens + costs.c.cache_write_tokens),
    sa.func.sum(costs.c.output_tokens),
    sa.func.sum(costs.c.cache_read_tokens),
    sa.func.sum(costs.c.saved_by_cache),
    sa.func.sum(costs.c.saved_by_batch),
)

_COMPANY = costs.c.company == sa.bindparam("company")
_SINCE = costs.c.at >= sa.bindparam("start", type_=UtcTime)
_BEFORE = costs.c.at < sa.bindparam("end", type_=UtcTime)
# SELECT DISTINCT would read the whole index.
_NEXT_COMPANY = sa.select(sa.func.min(costs.c.company)).where(costs.c.company > sa.bindparam("company"))
_FIRST = sa.select(costs.c.at).where(_COMPANY).order_by(costs.c.at).limit(1)
_LAST = sa.select(costs.c.at).where(_COMPANY).order_by(costs.c.at.desc()).limit(1)
_IN_SPAN = sa.select(*_SUMS).where(_COMPANY, _SINCE, _BEFORE)
_NUMBER = sa.func.width_bucket(
    costs.c.at, sa.bindparam("starts", type_=sa.ARRAY(sa.DateTime(timezone=True)))
).label("number")
_BY_SPAN = sa.select(_NUMBER, *_SUMS).where(_COMPANY, _SINCE, _BEFORE).group_by(_NUMBER)
_OPEN = sa.select(costs.c.company, costs.c.at, costs.c.micros).where(RESERVED)

# Rows from before calls carried these are looked up by turn and session.
_SENDER = (
    sa.select(people.c.handle)
    .join(messages, messages.c.person_id == people.c.id)
    .join(session_queue, session_queue.c.message_id == messages.c.id)
    .where(session_queue.c.turn_id == costs.c.turn_id)
    .order_by(session_queue.c.message_id)
    .limit(1)
    .scalar_subquery()
)
_CHAT = sa.select(sessions.c.chat_id).where(sessions.c.id == costs.c.session_id).scalar_subquery()
# Only turns of tasks can belong to a task. Their runs know which one, but no index finds them by turn: see
# `_tasks_of`.
_OLD_TURN = sa.case((costs.c.flow == sa.literal_column("'F'"), costs.c.turn_id), else_=None)

_KEYS: Mapping[Grouping, sa.ColumnElement[Any]] = {
    Grouping.COMPANY: costs.c.company,
    Grouping.MODEL: costs.c.model,
    Grouping.FLOW: costs.c.flow,
    Grouping.SKILL: costs.c.skill,
    Grouping.PERSON: sa.func.coalesce(costs.c.person, _SENDER),
    Grouping.GROUP: costs.c.agent_group,
    Grouping.CHAT: sa.func.coalesce(costs.c.chat_id, _CHAT),
    Grouping.TASK: sa.func.coalesce(sa.cast(costs.c.task_id, sa.Text), _OLD_TURN),
    Grouping.RUN: costs.c.chain_id,
}


def companies(tx: Tx) -> list[str]:
    """Every company that ever spent anything, by name."""
    found: list[str] = []
    while (
        company := tx.execute(_NEXT_COMPANY, {"company": found[-1] if found else ""}).scalar()
    ) is not None:
        found.append(company)
    return found


def first_and_last(tx: Tx, company: str) -> tuple[datetime, datetime] | None:
    """When the first and the last of its calls left."""
    first = tx.execute(_FIRST, {"company": company}).scalar()
    return None if first is None else (first, tx.execute(_LAST, {"company": company}).scalar_one())


def by_span(tx: Tx, spans: Sequence[CompanyDay]) -> list[tuple[CompanyDay, Sums]]:
    """The spans with calls. A company's spans follow each other without a gap."""
    if tx.dialect.name == "postgresql":
        return _by_bucket(tx, spans)
    found = []
    for span in spans:  # one statement per day: SQLite would sort all rows before grouping them
        row = tx.execute(_IN_SPAN, {"company": span.company, "start": span.start, "end": span.end}).first()
        if row and row[0]:
            found.append((span, _sums(row)))
    return found


def _by_bucket(tx: Tx, spans: Sequence[CompanyDay]) -> list[tuple[CompanyDay, Sums]]:
    """PostgreSQL is far away: one statement per company."""
    of_company: dict[str, list[CompanyDay]] = {}
    for span in spans:
        of_company.setdefault(span.company, []).append(span)
    found = []
    for company, days in of_company.items():
        given = {"company": company, "start": days[0].start, "end": days[-1].end}
        rows = tx.execute(_BY_SPAN, {**given, "starts": [span.start for span in days]})
        found += [(days[row[0] - 1], _sums(row[1:])) for row in sorted(rows, key=lambda row: int(row[0]))]
    return found


def grouped(tx: Tx, by: Grouping, company: str, since: datetime | None) -> dict[str | None, Sums]:
    """The costs of a company by key; empty and missing keys are both None."""
    wanted = sa.select(_KEYS[by], *_SUMS).where(costs.c.company == company).group_by(sa.text("1"))
    if since is not None:
        wanted = wanted.where(costs.c.at >= since)
    rows = tx.execute(wanted).all()
    turns = {row[0] for row in rows if by is Grouping.TASK and row[0] and not row[0].isdecimal()}
    tasks = _tasks_of(tx, turns)
    found: dict[str | None, Sums] = {}
    for row in rows:
        key = tasks.get(row[0]) if row[0] in turns else row[0] or None
        found[key] = found.get(key, Sums()) + _sums(row[1:])
    return found


def _tasks_of(tx: Tx, turn_ids: Collection[str]) -> dict[str, str]:
    """Tasks by turn, in one pass over the runs of tasks; no pass if all rows name their task."""
    if not turn_ids:
        return {}
    of_turn = sa.select(task_run_logs.c.turn_id, task_run_logs.c.task_id)
    rows = tx.execute(of_turn.where(task_run_logs.c.turn_id.is_not(None)))
    return {turn_id: str(task_id) for turn_id, task_id in rows if turn_id in turn_ids}


def on_the_way(tx: Tx, since: Mapping[str, datetime | None]) -> OnTheWay:
    """The open calls of these companies, read by the index of open calls, which are few."""
    found = OnTheWay()
    for company, at, micros in tx.execute(_OPEN):
        if company in since and ((start := since[company]) is None or at >= start):
            found = OnTheWay(calls=found.calls + 1, micros=found.micros + int(micros))
    return found


def dear_turns(tx: Tx, since: Mapping[str, datetime | None], limit: int) -> list[DearTurn]:
    """The most expensive turns first."""
    dearest: list[tuple[int, str, str]] = []
    micros = sa.func.sum(costs.c.micros)
    for company, start in since.items():
        wanted = sa.select(micros, costs.c.turn_id).where(costs.c.company == company, costs.c.turn_id != "")
        if start is not None:
            wanted = wanted.where(costs.c.at >= start)
        rows = tx.execute(
            wanted.group_by(costs.c.turn_id).order_by(micros.desc(), costs.c.turn_id).limit(limit)
        )
        dearest += [(int(row[0]), row[1], company) for row in rows]
    return [_turn(tx, company, turn_id) for _, turn_id, company in sorted(dearest, reverse=True)[:limit]]


def _turn(tx: Tx, company: str, turn_id: str) -> DearTurn:
    this = sa.and_(costs.c.turn_id == turn_id, costs.c.company == company)
    wanted = sa.select(costs, _KEYS[Grouping.PERSON], _KEYS[Grouping.CHAT], _KEYS[Grouping.TASK])
    rows = tx.execute(wanted.where(this).order_by(costs.c.id)).all()
    # The classifier's call comes first, and does not belong to a skill yet.
    told = max(rows, key=lambda row: (bool(row.skill), row.micros))
    counted = tx.execute(sa.select(*_SUMS).where(this)).one()
    task_id = told[-1] if told.task_id else _tasks_of(tx, {turn_id}).get(turn_id) if told[-1] else None
    message_id = tx.execute(
        sa.select(sa.func.min(session_queue.c.message_id)).where(session_queue.c.turn_id == turn_id)
    ).scalar()
    return DearTurn(
        turn_id=turn_id,
        at=rows[0].at,
        company=company,
        flow=told.flow,
        skill=told.skill,
        models=tuple(dict.fromkeys(row.model for row in rows)),
        person=told[-3],
        chat_id=told[-2],
        task_id=int(task_id) if task_id else None,
        chain_id=told.chain_id,
        message_id=message_id,
        sums=_sums(counted),
    )


def _sums(row: Sequence[Any]) -> Sums:
    """PostgreSQL returns sums of big integers as decimals; a sum over old rows alone may be null."""
    calls, micros, all_in, output, cached, by_cache, by_batch = (int(number or 0) for number in row)
    return Sums(
        calls=calls,
        micros=micros,
        input=all_in,
        output=output,
        cached=cached,
        saved_by_cache=by_cache,
        saved_by_batch=by_batch,
    )
