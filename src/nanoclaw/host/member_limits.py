"""What a member may spend without an admin, from the settings."""

from collections.abc import Callable

from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.money import MICROS
from nanoclaw.flows.spending.member_limits import MemberLimits
from nanoclaw.host.settings import Spending


def member_limits(spending: Spending, budgets: Callable[[str], Budget]) -> MemberLimits:
    """`budgets` gives the budget of a company as it is now."""
    return MemberLimits(
        start=round(spending.member_start * MICROS),
        day=round(spending.member_day * MICROS),
        budgets=budgets,
    )
