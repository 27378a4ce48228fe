"""Forecasts what a month will have cost: the remaining days are assumed to be like the last ones with spending."""

from collections.abc import Mapping
from datetime import date

from nanoclaw.domain.cost_reports import Forecast
from nanoclaw.flows.spending.periods import month_end

DAYS = 7
"""How many earlier days count at most; those without spending are skipped."""
LOOK_BACK = 60
"""How many days to look back: earlier spending says nothing about this month."""


def foresee(by_day: Mapping[date, int], today: date) -> Forecast | None:
    """Forecast from micros by day, up to today. None until a day before today had any spending."""
    earlier = sorted(day for day, micros in by_day.items() if day < today and micros > 0)[-DAYS:]
    if not earlier:
        return None
    spent = [by_day[day] for day in earlier]
    month = sum(micros for day, micros in by_day.items() if day.replace(day=1) == today.replace(day=1))
    so_far, left = by_day.get(today, 0), (month_end(today) - today).days

    def at_end(a_day: int) -> int:
        """Today may still become an average day, and never costs less than it already has."""
        return month + max(0, a_day - so_far) + left * a_day

    return Forecast(
        expected=at_end(round(sum(spent) / len(spent))),
        low=at_end(min(spent)),
        high=at_end(max(spent)),
        days=len(spent),
    )
