"""What a month will have cost at its end: the days that are left are taken to be like the last ones with spending."""

from collections.abc import Mapping
from datetime import date

from nanoclaw.domain.cost_reports import Forecast
from nanoclaw.flows.spending.periods import month_end

DAYS = 7
"""How many earlier days count, at most; those without spending are passed over."""
LOOK_BACK = 60
"""Days: what was spent before that says nothing about this month."""


def foresee(by_day: Mapping[date, int], today: date) -> Forecast | None:
    """From micros by day, up to today. None while no day before today had any spending."""
    earlier = sorted(day for day, micros in by_day.items() if day < today and micros > 0)[-DAYS:]
    if not earlier:
        return None
    spent = [by_day[day] for day in earlier]
    month = sum(micros for day, micros in by_day.items() if day.replace(day=1) == today.replace(day=1))
    so_far, left = by_day.get(today, 0), (month_end(today) - today).days

    def at_end(a_day: int) -> int:
        """Today may still become such a day, and never costs less than it has."""
        return month + max(0, a_day - so_far) + left * a_day

    return Forecast(
        expected=at_end(round(sum(spent) / len(spent))),
        low=at_end(min(spent)),
        high=at_end(max(spent)),
        days=len(spent),
    )
