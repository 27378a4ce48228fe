"""How often a task is done is told in words that can be read again."""

from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.schedules import LEAST_INTERVAL, MOST_INTERVAL, ScheduleType, cron, interval
from nanoclaw.flows.tasks.recurrence_text import rhythm, rhythm_for
from nanoclaw.texts import LANGUAGES
from nanoclaw.times.when import read_when

pytestmark = pytest.mark.capability("F1")

NOW = datetime(2026, 11, 18, 10, tzinfo=UTC)
TOLD = {
    "0 8 * * 1": ("Mondays at 08:00", "щопонеділка о 08:00"),
    "30 8 * * 1,3,5": ("Mondays, Wednesdays, Fridays at 08:30", "щопонеділка, щосереди, щоп'ятниці о 08:30"),
    "0 8 * * 1-5": ("weekdays at 08:00", "по буднях о 08:00"),
    "0 10 * * 0,6": ("weekends at 10:00", "у вихідні о 10:00"),
    "0 9,18 * * *": ("every day at 09:00, 18:00", "щодня о 09:00, 18:00"),
    "5 0 2 * *": ("every month on the 2nd at 00:05", "щомісяця 2 числа о 00:05"),
    "0 9 11 * *": ("every month on the 11th at 09:00", "щомісяця 11 числа о 09:00"),
    "0 9 L * *": ("last day of every month at 09:00", "щомісяця в останній день о 09:00"),
    "15 * * * *": ("every hour at :15", "щогодини о :15"),
    "*/5 * * * *": ("every 5 min", "кожні 5 хв"),
    "*/7 * * * *": ("cron */7 * * * *", "cron */7 * * * *"),
    "*/20,5 * * * *": ("cron */20,5 * * * *", "cron */20,5 * * * *"),
    "0 8 * * 1#2": ("every month on the second Monday at 08:00", "щомісяця у другий понеділок о 08:00"),
    "0 17 * * 5L": ("every month on the last Friday at 17:00", "щомісяця в останню п'ятницю о 17:00"),
    "0 17 * * 7#1": ("every month on the first Sunday at 17:00", "щомісяця у першу неділю о 17:00"),
    "0 8 * * 1#1,1#3": ("cron 0 8 * * 1#1,1#3", "cron 0 8 * * 1#1,1#3"),
    "0 8 * * 1#5": ("cron 0 8 * * 1#5", "cron 0 8 * * 1#5"),
    "0 8 1 * 1": ("cron 0 8 1 * 1", "cron 0 8 1 * 1"),
    "0 8 1 1 *": ("every year on 1 January at 08:00", "щороку 1 січня о 08:00"),
    "0 8 01 05 *": ("every year on 1 May at 08:00", "щороку 1 травня о 08:00"),
    "0 8 1 JAN *": ("cron 0 8 1 JAN *", "cron 0 8 1 JAN *"),
    "0 8 1 1,7 *": ("cron 0 8 1 1,7 *", "cron 0 8 1 1,7 *"),
    "15 * 1 1 *": ("cron 15 * 1 1 *", "cron 15 * 1 1 *"),
    "0 9-17 * * *": ("cron 0 9-17 * * *", "cron 0 9-17 * * *"),
}


@pytest.mark.parametrize("expression", TOLD)
def test_times_of_the_clock_are_told_in_words(expression: str) -> None:
    schedule = cron(expression, "UTC", NOW)
    assert tuple(rhythm(schedule, Locale(language=language)) for language in ("en", "uk")) == TOLD[expression]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("expression", [each for each in TOLD if not each.startswith("*")])
def test_what_is_told_is_understood(expression: str, language: str) -> None:
    schedule = cron(expression, "UTC", NOW)
    again = read_when(rhythm(schedule, Locale(language=language)), NOW, "UTC")
    assert again.next_after(NOW) == schedule.next_after(NOW)
    assert again.type is schedule.type


def field(least: int, most: int, *special: str) -> st.SearchStrategy[str]:
    """What cron's grammar allows for one of the five: `*`, `5`, `1-5`, `*/2`, `1-9/3`, lists of them, and its own."""
    number = st.integers(least, most).map(str)
    between = st.tuples(st.integers(least, most), st.integers(least, most)).map(
        lambda ends: f"{min(ends)}-{max(ends)}"
    )
    some = st.one_of(st.just("*"), number, between)
    stepped = st.tuples(some, st.integers(1, most)).map(lambda parts: f"{parts[0]}/{parts[1]}")
    alone = st.one_of(some, stepped, *([st.sampled_from(special)] if special else []))
    return st.one_of(st.just("*"), alone, st.lists(alone, min_size=2, max_size=3).map(",".join))


EXPRESSIONS = st.tuples(
    field(0, 59),
    field(0, 23),
    field(1, 31, "L", "LW"),
    field(1, 12, "JAN", "MAY", "JUN-AUG", "dec"),
    field(0, 7, "MON", "sun", "TUE-FRI", "1#2", "5L", "0#5", "MON#1"),
).map(" ".join)


@given(EXPRESSIONS)
@example("*/20,5 * * * *")
@example("*/60 * * * *")
def test_whatever_cron_allows_is_told_and_is_understood_again(expression: str) -> None:
    try:
        schedule = cron(expression, "UTC", NOW)
    except Refused:  # there is no such day
        assume(False)
    for language in LANGUAGES:
        words = rhythm(schedule, Locale(language=language))
        again = read_when(words, NOW, "UTC")
        if again.type is ScheduleType.CRON:  # "every 5 min" is a distance
            assert [*islice(again.times_after(NOW), 4)] == [*islice(schedule.times_after(NOW), 4)], words


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (1, ("every 1 min", "кожні 1 хв")),
        (1.5, ("every 90 seconds", "кожні 90 секунд")),
        (60, ("every 60 min", "кожні 60 хв")),
        (90, ("every 90 min", "кожні 90 хв")),
        (120, ("every 2 h", "кожні 2 год")),
        (150, ("every 150 min", "кожні 150 хв")),
        (200, ("every 200 min", "кожні 200 хв")),
        (24 * 60, ("every 24 h", "кожні 24 год")),
        (48 * 60, ("every 2 days", "кожні 2 дні")),
        (1450, ("every 1450 min", "кожні 1450 хв")),
        (50 * 60, ("every 50 h", "кожні 50 год")),
    ],
)
def test_distances_are_told_as_they_are(minutes: float, words: tuple[str, str]) -> None:
    schedule = interval(timedelta(minutes=minutes), "UTC", NOW)
    assert tuple(rhythm(schedule, Locale(language=language)) for language in ("en", "uk")) == words


@given(
    # Only six digits are read: more seconds are written in another unit.
    st.integers(LEAST_INTERVAL // timedelta(seconds=1), 999_999)
    | st.integers(1, MOST_INTERVAL // timedelta(minutes=1)).map(lambda minutes: 60 * minutes)
    | st.integers(1, MOST_INTERVAL // timedelta(hours=1)).map(lambda hours: 3600 * hours)
)
@example(150 * 60)
@example(90)
@example(1001)
@example(1450 * 60)
@example(MOST_INTERVAL // timedelta(seconds=1))
def test_distances_are_told_and_understood(seconds: int) -> None:
    schedule = interval(timedelta(seconds=seconds), "UTC", NOW)
    for language in LANGUAGES:
        assert read_when(rhythm(schedule, Locale(language=language)), NOW, "UTC") == schedule


def test_the_zone_is_named_where_it_is_not_the_readers_own() -> None:
    daily = cron("0 9 * * *", "Europe/Kyiv", NOW)
    assert rhythm_for(daily, Locale(timezone="Europe/Kyiv")) == "every day at 09:00"
    assert rhythm_for(daily, Locale()) == "every day at 09:00 (Europe/Kyiv)"
    assert rhythm_for(interval(timedelta(hours=2), "Europe/Kyiv", NOW), Locale()) == "every 2 h"
