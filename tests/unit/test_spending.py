"""The forecast of a month, and the words in which people ask for costs."""

from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.cost_reports import Forecast, Grouping
from nanoclaw.domain.errors import Refused
from nanoclaw.flows.spending.commands import read_wish
from nanoclaw.flows.spending.forecast import foresee
from nanoclaw.flows.spending.money_text import exact, money
from nanoclaw.flows.spending.periods import first_day, read_since
from nanoclaw.host.company_clocks import clock_of

pytestmark = pytest.mark.capability("J4")

TODAY = date(2026, 11, 17)  # 13 days of the month are left


def _days_ago(*spent: int) -> dict[date, int]:
    """Today's first, then yesterday's ..."""
    return {TODAY - timedelta(days=ago): micros for ago, micros in enumerate(spent)}


@pytest.mark.parametrize(
    ("spent", "expected"),
    [
        # Today becomes a day like the others: 3 + 13 * 1, and never less than it has cost already.
        ((0, 1, 1, 1), Forecast(expected=3 + 14, low=17, high=17, days=3)),
        ((5, 1), Forecast(expected=6 + 13, low=19, high=19, days=1)),
        # The range is from the cheapest to the most expensive day; those without spending are passed over.
        ((0, 2, 0, 4), Forecast(expected=6 + 14 * 3, low=6 + 14 * 2, high=6 + 14 * 4, days=2)),
        # Only the last seven with spending count, but all of the month has been spent.
        ((0, 1, 1, 1, 1, 1, 1, 1, 90), Forecast(expected=97 + 14, low=111, high=111, days=7)),
        # Today alone says nothing: it is not over.
        ((7,), None),
        ((), None),
    ],
)
def test_what_is_left_of_the_month_is_taken_to_be_like_the_last_days_with_spending(
    spent: tuple[int, ...], expected: Forecast | None
) -> None:
    assert foresee(_days_ago(*spent), TODAY) == expected


def test_days_of_the_last_month_say_how_much_a_day_costs_but_not_what_was_spent() -> None:
    first = date(2026, 12, 1)
    assert foresee({date(2026, 11, 30): 2}, first) == Forecast(expected=31 * 2, low=62, high=62, days=1)
    last = date(2026, 12, 31)
    assert foresee({date(2026, 12, 30): 2, last: 1}, last) == Forecast(expected=4, low=4, high=4, days=1)


@pytest.mark.parametrize(
    ("typed", "since", "first"),
    [
        ("month", "month", "2026-11-01"),
        ("Тиждень", "week", "2026-11-11"),
        ("7d", "7d", "2026-11-11"),
        ("30 днів", "30d", "2026-10-19"),
        ("today", "today", "2026-11-17"),
        ("2026-02-28", "2026-02-28", "2026-02-28"),
        ("9999d", "9999d", "1999-07-04"),
        ("all", "all", None),
    ],
)
def test_a_time_is_read_as_people_write_it(typed: str, since: str, first: str | None) -> None:
    assert read_since(typed) == since
    assert first_day(since, TODAY) == (first and date.fromisoformat(first))


@pytest.mark.parametrize(
    "typed", ["", "0d", "-3d", "7", "2026-13-01", "20261101", "2026-W46-2", "soon", "٣d"]
)
def test_what_is_no_time_is_refused(typed: str) -> None:
    with pytest.raises(Refused):
        read_since(typed)


@pytest.mark.parametrize(
    ("argument", "wish"),
    [
        ("", (None, None)),
        ("week", ("week", None)),
        ("by model", (None, Grouping.MODEL)),
        ("for the last week by skill", ("week", Grouping.SKILL)),
        ("by day", (None, Grouping.DAY)),
        ("day", ("today", None)),
        ("30d by days", ("30d", Grouping.DAY)),
        ("за тиждень за моделями", ("week", Grouping.MODEL)),
        ("за день", ("today", None)),
        ("по днях за місяць", ("month", Grouping.DAY)),
    ],
)
def test_a_wish_is_read_in_both_languages(argument: str, wish: tuple[str | None, Grouping | None]) -> None:
    assert read_wish(argument) == wish


def test_a_budget_that_cannot_be_read_hides_no_costs(tmp_path: Path) -> None:
    usual = ZoneInfo("Europe/Kyiv")
    zone_of = clock_of(BudgetFiles(tmp_path, Budget(zone=usual)), usual)
    for company, written in (("broken", "{"), ("far", '{"timezone": "Pacific/Apia"}')):
        folder = tmp_path / "companies" / company
        folder.mkdir(parents=True)
        (folder / "budget.json").write_text(written)
    assert [zone_of(each) for each in ("broken", "none", "far")] == [usual, usual, ZoneInfo("Pacific/Apia")]


def test_amounts_are_rounded_for_people_and_exact_for_spreadsheets() -> None:
    assert [money(each) for each in (0, -40, 1_234_567)] == ["$0.00", "-$0.000040", "$1.23"]
    assert [exact(each) for each in (0, -40, 1_234_567)] == ["0.000000", "-0.000040", "1.234567"]
