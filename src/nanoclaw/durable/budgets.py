"""The rows of budgets: what was paid, what owners added, which levels were reported, and work that waits for
money.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.news import EVERY_CHAT, PipelineChanged, TaskChanged
from nanoclaw.durable import cost_sums, work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.clock import now
from nanoclaw.durable.money_tables import budget_alerts, budget_holds, budget_overrides
from nanoclaw.durable.pipeline_tables import pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED, UtcTime, costs, sessions
from nanoclaw.durable.upsert import insert_if_new

_OVERRIDES = sa.select(
    budget_overrides.c.kind, budget_overrides.c.name, budget_overrides.c.at, budget_overrides.c.micros
).where(
    budget_overrides.c.company == sa.bindparam("company"),
    budget_overrides.c.at >= sa.bindparam("since", type_=UtcTime),
)

_TRIED_AGAIN = sa.delete(budget_holds).where(
    budget_holds.c.kind == sa.bindparam("of_kind"), budget_holds.c.key == sa.bindparam("of_key")
)
# The key of a turn is its session; extracting memory from one belongs to no task.
_HELD_WORK = (
    sa.select(sessions.c.task_id, sessions.c.chain_id, pipeline_runs.c.task_id)
    .select_from(
        budget_holds.join(sessions, sessions.c.id == budget_holds.c.key).outerjoin(
            pipeline_runs, pipeline_runs.c.id == sessions.c.chain_id
        )
    )
    .where(budget_holds.c.kind != work.EXTRACTION)
)


def paid(tx: Tx, company: str, *, day: datetime, month: datetime) -> tuple[int, int]:
    """Micros paid since the day and the month began, without reservations for calls under way."""
    return cost_sums.since(tx, company, day=day, month=month)


@dataclass(frozen=True, slots=True)
class Addition:
    """What an owner added: to the company's limits, or with a kind to those of a group, a person or a task."""

    micros: int
    kind: str | None = None
    name: str | None = None


def overrides(tx: Tx, company: str, since: datetime) -> int:
    """What owners added to the company's limits since then."""
    return sum(added.micros for _, added in additions(tx, company, since) if added.kind is None)


def additions(tx: Tx, company: str, since: datetime) -> list[tuple[datetime, Addition]]:
    """Everything owners added there since then."""
    rows = tx.execute(_OVERRIDES, {"company": company, "since": since})
    return [(row.at, Addition(row.micros, row.kind, row.name)) for row in rows]


def add_override(tx: Tx, company: str, added: Addition, said_by: str, at: datetime) -> None:
    values = {"micros": added.micros, "kind": added.kind, "name": added.name}
    row = {"id": new_id("bo"), "at": at, "company": company, "said_by": said_by, **values}
    tx.execute(sa.insert(budget_overrides).values(**row))


def take_alert(tx: Tx, company: str, period: str, began_at: datetime, level: int, at: datetime) -> bool:
    """Whether this host is the first of all to report this level of this period."""
    row = {"company": company, "period": period, "began_at": began_at, "level": level, "told_at": at}
    return tx.execute(insert_if_new(tx, budget_alerts), row).first() is not None


def hold(tx: Tx, company: str, kind: str, key: str, at: datetime) -> None:
    """Note that this work was put back until there is money."""
    row = {"kind": kind, "key": key, "company": company, "at": at}
    tx.execute(insert_if_new(tx, budget_holds), row)
    for task_id, run_id, task_of_run in tx.execute(_HELD_WORK.where(budget_holds.c.key == key)):
        for each in {task_id, task_of_run} - {None}:
            announce(tx, EVERY_CHAT, TaskChanged(each))
        if run_id is not None:
            announce(tx, EVERY_CHAT, PipelineChanged(run_id))


def tried_again(tx: Tx, kind: str, key: str) -> None:
    """The work is taken up; if there is still no money, it is held again."""
    tx.execute(_TRIED_AGAIN, {"of_kind": kind, "of_key": key})


@dataclass(frozen=True, kw_only=True, slots=True)
class UnpaidWork:
    """What waits for money: tasks, and runs of pipelines or chains of handoffs."""

    tasks: frozenset[int]
    chains: frozenset[str]


def waiting(tx: Tx) -> UnpaidWork:
    """Work that waits for money; a task whose pipeline waits counts too."""
    found = tx.execute(_HELD_WORK).all()
    return UnpaidWork(
        tasks=frozenset(task for row in found for task in (row[0], row[2]) if task is not None),
        chains=frozenset(row[1] for row in found if row[1] is not None),
    )


def let_go(tx: Tx, at: datetime, company: str | None = None) -> int:
    """Make work that waits for money due: there may be some now. Without a company, all of it. Returns the number."""
    whose = sa.true() if company is None else budget_holds.c.company == company
    rows = tx.execute(sa.delete(budget_holds).where(whose).returning(budget_holds.c.kind, budget_holds.c.key))
    unpaid = rows.all()
    for row in unpaid:
        work.due(tx, row.kind, row.key, at)
    return len(unpaid)


def count_unpaid(tx: Tx, company: str) -> int:
    """How much work of the company waits for money."""
    count = sa.select(sa.func.count()).select_from(budget_holds).where(budget_holds.c.company == company)
    return int(tx.execute(count).scalar_one())


def heed_clock(tx: Tx, _by: timedelta) -> None:
    """The clock was set, perhaps into another day or month: let held work check again."""
    let_go(tx, now())


def month_by(tx: Tx, company: str, since: datetime) -> tuple[int, dict[str, int], dict[str, int]]:
    """What was paid since then: in total, by model and by flow."""
    rows = tx.execute(
        sa.select(costs.c.model, costs.c.flow, sa.func.sum(costs.c.micros))
        .where(costs.c.company == company, costs.c.at >= since, sa.not_(RESERVED))
        .group_by(costs.c.model, costs.c.flow)
    )
    by_model: dict[str, int] = defaultdict(int)
    by_flow: dict[str, int] = defaultdict(int)
    for model, flow, micros in rows:
        by_model[model] += int(micros)
        by_flow[flow] += int(micros)
    return sum(by_model.values()), dict(sorted(by_model.items())), dict(sorted(by_flow.items()))
