"""What a company may still spend now: the lower of what its day and its month leave."""

from datetime import datetime

from nanoclaw.domain.budgets import Budget, periods
from nanoclaw.durable import budgets, cost_sums, limits
from nanoclaw.durable.costs import NO_HOST
from nanoclaw.durable.limits import Limit
from nanoclaw.durable.store import Tx


def left(tx: Tx, company: str, budget: Budget, at: datetime) -> int | None:
    """In micros; None if there is no limit. Reservations count as spent."""
    found = [
        Limit(
            kind=cost_sums.COMPANY,
            name="",
            micros=micros + budgets.overrides(tx, company, began),
            error="budget-spent",
            since=began,
        )
        for micros, (began, _) in zip(
            (budget.limits.day, budget.limits.month), periods(at, budget.zone), strict=True
        )
        if micros is not None
    ]
    return min((money.left for money in limits.count(tx, company, found, NO_HOST)), default=None)
