"""API bodies about budgets: what a company may spend, how much of it is used, and what that means."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from nanoclaw.console.shape import Shape


class UsedLimit(Shape):
    """One limit. `limit_usd` is with what owners added; None: no limit. `share` is the part that is used."""

    period: Literal["day", "month"]
    spent_usd: float
    limit_usd: float | None
    share: float
    ends_at: datetime


class Budget(Shape):
    """The budget of a company. `level` is 0, 80, 95 or 100 (by the thresholds of the budget); `sentence` says what it
    means. `fault` says why its file cannot be read; the limits are then those from before."""

    company: str
    day: UsedLimit
    month: UsedLimit
    level: int
    sentence: str
    overdraft_usd: float
    added_today_usd: float
    waiting: int
    timezone: str
    fault: str | None


class BudgetList(Shape):
    budgets: list[Budget]


class NewLimit(Shape):
    """`amount` as people write it: 5, $5, 5.50; `off` removes the limit."""

    period: Literal["day", "month"]
    amount: str = Field(min_length=1, max_length=100)


class NewOverride(Shape):
    """`amount` as people write it: +20, $20, 20.50."""

    amount: str = Field(min_length=1, max_length=100)
