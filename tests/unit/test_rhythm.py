"""How often a task is done is told in words that can be read again."""

from datetime import UTC, datetime

import pytest

from nanoclaw.admission.when import read_when
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.schedules import cron, interval
from nanoclaw.flows.tasks.rhythm import rhythm
from nanoclaw.texts import LANGUAGES

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


@pytest.mark.parametrize("language", LANGUAGES)
def test_distances_are_told_and_understood(language: str) -> None:
    for minutes in (1, 90, 120, 2880):
        schedule = interval(minutes * (NOW.replace(minute=1) - NOW), "UTC", NOW)
        assert read_when(rhythm(schedule, Locale(language=language)), NOW, "UTC") == schedule
