"""What a company may spend in a day and in a month, how much of it is used, and what follows from that."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from enum import IntEnum, StrEnum

BUDGET_HELD = "budget-held"
"""Why work that nobody waits for is held: the budget is used up. It continues by itself when there is money again."""
EACH = "*"
"""Stands for a name: a limit for each one that is not named."""


class Level(IntEnum):
    """How much of the budget is used, by its own thresholds; 80 and 95 by default."""

    NORMAL = 0
    STEPPED_DOWN = 80  # opus becomes sonnet, and sonnet haiku
    SMALLEST = 95  # haiku only
    SPENT = 100  # only people's own messages, on haiku, within the overdraft


class Period(StrEnum):
    DAY = "day"
    MONTH = "month"


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetLimits:
    """In micros; None: no limit. 0 is a limit: nothing may be spent."""

    day: int | None = None
    month: int | None = None

    @property
    def is_set(self) -> bool:
        return self.day is not None or self.month is not None


NO_LIMITS = BudgetLimits()


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """The budget of a company, as its file (or `[spending]`) says now. Its days and months begin on the clock
    of `zone`.
    """

    limits: BudgetLimits = NO_LIMITS
    overdraft: int = 0  # what people's own messages may cost beyond the limits
    alert_at: float = 0.80
    critical_at: float = 0.95
    zone: tzinfo = UTC
    groups: Mapping[str, BudgetLimits] = field(default_factory=dict)
    people: Mapping[str, BudgetLimits] = field(default_factory=dict)  # by handle
    tasks: Mapping[str, BudgetLimits] = field(default_factory=dict)  # by number
    run_limit: int | None = None  # of a pipeline run whose template names none
    chain_limit: int | None = None  # of a chain of handoffs that names none

    @property
    def is_set(self) -> bool:
        return self.limits.is_set

    def of_group(self, name: str) -> BudgetLimits:
        return _of(self.groups, name)

    def of_person(self, handle: str | None) -> BudgetLimits:
        return _of(self.people, handle)

    def of_task(self, number: int | None) -> BudgetLimits:
        return _of(self.tasks, None if number is None else str(number))


NOTHING = Budget(limits=BudgetLimits(day=0, month=0))
"""What may be spent if nobody can tell."""


def _of(limits: Mapping[str, BudgetLimits], name: str | None) -> BudgetLimits:
    if name is None or not limits:
        return NO_LIMITS
    return limits.get(name) or limits.get(EACH) or NO_LIMITS


@dataclass(frozen=True, kw_only=True, slots=True)
class Used:
    """How much of one limit is used: what was paid since `began`, against what may be."""

    period: Period
    began: datetime
    ends: datetime
    spent: int  # without reservations for calls under way
    limit: int | None  # with what owners added

    @property
    def share(self) -> float:
        """The used share of the limit; at 1 or more nothing is left."""
        if self.limit is None:
            return 0.0
        return self.spent / self.limit if self.limit > 0 else 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """How a company stands. The worse of its day and its month counts. `is_empty`: what is left was too
    little for a wanted call, so it counts as nothing, whatever the share says.
    """

    budget: Budget
    day: Used
    month: Used
    is_empty: bool = False

    @property
    def worse(self) -> Used:
        return max(self.month, self.day, key=lambda used: used.share)

    @property
    def level(self) -> Level:
        return Level.SPENT if self.is_empty else self.level_of(self.worse)

    @property
    def percent(self) -> int:
        """The percentage for people: 100 only if it is used up."""
        return 100 if self.is_empty else int(self.worse.share * 100)

    @property
    def may_overdraw(self) -> bool:
        """Whether a person's own message may still cost something."""
        return all(
            used.limit is None or used.spent < used.limit + self.budget.overdraft
            for used in (self.day, self.month)
        )

    @property
    def waited_for(self) -> Used:
        """The limit at whose end there may be money again without anyone doing anything: of two that are used
        up, the later. If neither is, a call was too expensive for what is left of one of them: it is tried
        again tomorrow.
        """
        used_up = [used for used in (self.month, self.day) if used.share >= 1]
        soonest = self.month if self.day.limit is None else self.day
        return max(used_up or [soonest], key=lambda used: used.ends)

    def level_of(self, used: Used) -> Level:
        if used.share >= 1:
            return Level.SPENT
        if used.share >= self.budget.critical_at:
            return Level.SMALLEST
        return Level.STEPPED_DOWN if used.share >= self.budget.alert_at else Level.NORMAL


def periods(at: datetime, zone: tzinfo) -> tuple[tuple[datetime, datetime], tuple[datetime, datetime]]:
    """When the day and the month of this time begin and end there."""
    day = at.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    month = day.replace(day=1)
    # A date further on, not so many hours: days on which clocks change are longer or shorter.
    next_month = (month + timedelta(days=32)).replace(day=1)
    return (day, day + timedelta(days=1)), (month, next_month)
