"""What a company may still spend now: the worse of its day and its month counts."""

from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.budgets import Budget, periods
from nanoclaw.durable import budgets
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import UtcTime, costs

_SINCE = sa.select(sa.func.coalesce(sa.func.sum(costs.c.micros), 0)).where(
    costs.c.company == sa.bindparam("company"), costs.c.at >= sa.bindparam("since", type_=UtcTime)
)


def left(tx: Tx, company: str, budget: Budget, at: datetime) -> int | None:
    """In micros; None where there is no limit. What is reserved counts as spent."""
    found = []
    for limit, (began, _) in zip(
        (budget.limits.day, budget.limits.month), periods(at, budget.zone), strict=True
    ):
        if limit is not None:
            spent = int(tx.execute(_SINCE, {"company": company, "since": began}).scalar_one())
            found.append(limit + budgets.overrides(tx, company, began) - spent)
    return min(found, default=None)
