"""The rows of budgets: what was paid, what owners added, which levels were told, and the work that waits for money."""

from collections import defaultdict
from datetime import datetime, timedelta

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.durable import cost_sums, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.money_tables import budget_alerts, budget_holds, budget_overrides
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED, UtcTime, costs
from nanoclaw.durable.upsert import insert_if_new

_OVERRIDES = sa.select(sa.func.coalesce(sa.func.sum(budget_overrides.c.micros), 0)).where(
    budget_overrides.c.company == sa.bindparam("company"),
    budget_overrides.c.at >= sa.bindparam("since", type_=UtcTime),
)


def paid(tx: Tx, company: str, *, day: datetime, month: datetime) -> tuple[int, int]:
    """Micros since the day and the month began, without what is reserved for calls on their way."""
    return cost_sums.since(tx, company, day=day, month=month)


def overrides(tx: Tx, company: str, since: datetime) -> int:
    """What owners added since then."""
    return int(tx.execute(_OVERRIDES, {"company": company, "since": since}).scalar_one())


def add_override(tx: Tx, company: str, micros: int, said_by: str, at: datetime) -> None:
    tx.execute(
        sa.insert(budget_overrides).values(
            id=new_id("bo"), at=at, company=company, micros=micros, said_by=said_by
        )
    )


def take_alert(tx: Tx, company: str, period: str, began_at: datetime, level: int, at: datetime) -> bool:
    """Whether this is the first to tell this level of this period, of all hosts."""
    row = {"company": company, "period": period, "began_at": began_at, "level": level, "told_at": at}
    return tx.execute(insert_if_new(tx, budget_alerts), row).first() is not None


def hold(tx: Tx, company: str, kind: str, key: str, at: datetime) -> None:
    """This work was put back until there is money."""
    row = {"kind": kind, "key": key, "company": company, "at": at}
    tx.execute(insert_if_new(tx, budget_holds), row)


def let_go(tx: Tx, at: datetime, company: str | None = None) -> int:
    """What was held is due: there may be money. Without a company: all of it. Returns how much that was."""
    whose = sa.true() if company is None else budget_holds.c.company == company
    rows = tx.execute(sa.delete(budget_holds).where(whose).returning(budget_holds.c.kind, budget_holds.c.key))
    held = rows.all()
    for row in held:
        work.due(tx, row.kind, row.key, at)
    return len(held)


def held_in(tx: Tx, company: str) -> int:
    """How much work waits for money there."""
    count = sa.select(sa.func.count()).select_from(budget_holds).where(budget_holds.c.company == company)
    return int(tx.execute(count).scalar_one())


def heed_clock(tx: Tx, _by: timedelta) -> None:
    """The clock was set, perhaps into another day or month: whatever is held looks for itself."""
    let_go(tx, now())


def month_by(tx: Tx, company: str, since: datetime) -> tuple[int, dict[str, int], dict[str, int]]:
    """What was paid since then: all of it, by model and by flow."""
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
