"""The rows of budgets: what was paid, what owners added, which levels were told, and the work that waits for money."""

from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.durable.money_tables import budget_alerts, budget_overrides
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import RESERVED, UtcTime, costs

_TODAY = costs.c.at >= sa.bindparam("day", type_=UtcTime)
_PAID = sa.select(
    sa.func.coalesce(sa.func.sum(sa.case((_TODAY, costs.c.micros), else_=0)), 0),
    sa.func.coalesce(sa.func.sum(costs.c.micros), 0),
).where(
    costs.c.company == sa.bindparam("company"),
    costs.c.at >= sa.bindparam("month", type_=UtcTime),
    sa.not_(RESERVED),
)
_OVERRIDES = sa.select(sa.func.coalesce(sa.func.sum(budget_overrides.c.micros), 0)).where(
    budget_overrides.c.company == sa.bindparam("company"),
    budget_overrides.c.at >= sa.bindparam("since", type_=UtcTime),
)


def paid(tx: Tx, company: str, *, day: datetime, month: datetime) -> tuple[int, int]:
    """Micros since the day and the month began, without what is reserved for calls on their way."""
    today, this_month = tx.execute(_PAID, {"company": company, "day": day, "month": month}).one()
    return int(today), int(this_month)


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
    key = {"company": company, "period": period, "began_at": began_at, "level": level}
    if tx.execute(sa.select(budget_alerts.c.level).filter_by(**key)).first():
        return False
    tx.execute(sa.insert(budget_alerts).values(told_at=at, **key))
    return True
