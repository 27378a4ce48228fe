"""Until when someone is away, and how long a program waits, as people write it in both languages."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.errors import Refused
from nanoclaw.texts import LANGUAGES, tell
from nanoclaw.times.until import read_span, read_until

KYIV = ZoneInfo("Europe/Kyiv")
NOW = datetime(2026, 11, 18, 15, 30, tzinfo=KYIV)  # a Wednesday


def wall(text: str, at: datetime = NOW, zone: ZoneInfo = KYIV) -> str:
    """As the person's clock shows it."""
    found = read_until(text, at, zone)
    assert found.tzinfo is UTC
    return f"{found.astimezone(zone):%a %Y-%m-%d %H:%M}"


def refused(text: str, at: datetime = NOW, zone: ZoneInfo = KYIV) -> str:
    with pytest.raises(Refused) as found:
        read_until(text, at, zone)
    for language in LANGUAGES:
        assert text.strip()[:100] in tell(language, found.value)
    return found.value.key


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("monday mon Понеділка понеділок пн пн. MONDAY", "Mon 2026-11-23 00:00"),
        ("tuesday tue вівторка вт", "Tue 2026-11-24 00:00"),
        ("wednesday wed середи середу ср", "Wed 2026-11-25 00:00"),
        ("thursday thu четверга чт", "Thu 2026-11-19 00:00"),
        ("friday fri п'ятниці п’ятницю пʼятниця пт", "Fri 2026-11-20 00:00"),
        ("saturday sat суботи сб", "Sat 2026-11-21 00:00"),
        ("sunday sun неділі нд", "Sun 2026-11-22 00:00"),
        ("tomorrow завтра", "Thu 2026-11-19 00:00"),
        ("післязавтра", "Fri 2026-11-20 00:00"),
    ],
)
def test_a_day_means_its_beginning_and_a_weekday_is_never_today(written: str, meant: str) -> None:
    for word in written.split():
        assert wall(word) == meant, word


def test_a_date_has_the_name_of_its_month_and_the_next_friday_is_that_of_the_next_week() -> None:
    for text in ("1 may", "until may 1st", "до 1 травня", "1-го травня 2027 року", "saturday 1 may"):
        assert wall(text) == "Sat 2027-05-01 00:00", text
    for text in ("next friday", "наступної п'ятниці", "until next fri 0:00"):
        assert wall(text) == "Fri 2026-11-27 00:00", text
    assert wall("this friday") == "Fri 2026-11-20 00:00"
    assert wall("18 november 18:00") == "Wed 2026-11-18 18:00"
    assert wall("18 november 9:00") == "Thu 2027-11-18 09:00"


@pytest.mark.parametrize("first", ["until", "till", "to", "до", "UNTIL", "До", ""])
def test_the_first_word_may_be_left_out(first: str) -> None:
    assert wall(f"{first} monday ") == "Mon 2026-11-23 00:00"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("18:00", "Wed 2026-11-18 18:00"),
        ("15:31", "Wed 2026-11-18 15:31"),
        ("15:30", "Thu 2026-11-19 15:30"),
        ("9:05", "Thu 2026-11-19 09:05"),
        ("today 18:00", "Wed 2026-11-18 18:00"),
        ("tomorrow 9:00", "Thu 2026-11-19 09:00"),
        ("tomorrow at 9:00", "Thu 2026-11-19 09:00"),
        ("завтра о 09:00", "Thu 2026-11-19 09:00"),
        ("9:00 monday", "Mon 2026-11-23 09:00"),
        ("until monday, 9:00", "Mon 2026-11-23 09:00"),
        ("до понеділка 9:00", "Mon 2026-11-23 09:00"),
        ("wednesday 18:00", "Wed 2026-11-25 18:00"),
        ("2026-11-20", "Fri 2026-11-20 00:00"),
        ("20.11.2026", "Fri 2026-11-20 00:00"),
        ("2026-11-20 18:00", "Fri 2026-11-20 18:00"),
        ("2026-11-20T18:00", "Fri 2026-11-20 18:00"),
        ("2027-11-18", "Thu 2027-11-18 00:00"),
    ],
)
def test_a_time_is_that_of_the_persons_clock(text: str, meant: str) -> None:
    assert wall(text) == meant


@pytest.mark.parametrize(
    ("written", "hours"),
    [
        ("3h, 3 hours, 3 години, for 3 hours, 180m, 3H, 2h60m, 2h 60 min", 3),
        ("90m, 90 minutes, 90 хвилин, 90хв, 1h30m", 1.5),
        ("2d, 2 days, 2 дні, на 2 дні, 48h, until 2d", 48),
        ("1w, 1 week, 1 тиждень, 7 днів", 168),
    ],
)
def test_a_length_of_time_counts_from_now(written: str, hours: float) -> None:
    for text in written.split(", "):
        assert read_until(text, NOW, KYIV) == NOW + timedelta(hours=hours), text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "until",
            "at",
            "soon",
            "mondayish",
            "18",
            "18:00 19:00",
            "monday tuesday",
        ),
        *("20.11", "20/11/2026", "3 moons", "h", "3", "-3h", "1.5h", "3h monday"),
        *("monday 18:00 please", "1h1h1h1h1h", "1234567h", "2026-11-20T18:00Z", "x" * 10_000, "½h", "٣"),
    ],
)
def test_what_cannot_be_understood_is_refused(text: str) -> None:
    assert refused(text) == "until-unclear"


@pytest.mark.parametrize("text", ["2026-02-30", "2026-13-01", "31 february", "monday 20 november", "0 may"])
def test_a_day_that_is_in_no_calendar_is_refused(text: str) -> None:
    assert refused(text) == "when-no-such-day"


@pytest.mark.parametrize("text", ["25:00", "9:60", "monday 24:00", "1 may 9:75"])
def test_a_time_that_no_clock_shows_is_refused(text: str) -> None:
    assert refused(text) == "when-no-such-clock"


@pytest.mark.parametrize("text", ["2026-11-17", "2026-11-18", "today", "today 15:30", "0h", "0001-01-01"])
def test_what_is_over_is_refused(text: str) -> None:
    assert refused(text) == "until-past"


@pytest.mark.parametrize("text", ["2027-11-20", "367d", "53w", "999999w", "9999-12-31", "9999-12-31 23:59"])
def test_more_than_a_year_ahead_is_refused(text: str) -> None:
    assert refused(text) == "until-far"
    assert refused(text, zone=ZoneInfo("Pacific/Pago_Pago")) == "until-far"


def test_today_is_today_where_the_person_is() -> None:
    late = datetime(2026, 11, 22, 23, 0, tzinfo=UTC)  # already Monday in Kyiv, still Sunday in New York
    assert wall("monday", late) == "Mon 2026-11-30 00:00"
    assert wall("monday", late, ZoneInfo("America/New_York")) == "Mon 2026-11-23 00:00"


@pytest.mark.parametrize(
    ("zone", "day", "text", "meant"),
    [
        ("Europe/Kyiv", (2026, 3, 28), "tomorrow 3:30", "2026-03-29T01:00"),  # 3:00 to 4:00 is left out
        ("Europe/Kyiv", (2026, 3, 28), "tomorrow 3:00", "2026-03-29T01:00"),
        ("Europe/Kyiv", (2026, 3, 28), "tomorrow 4:00", "2026-03-29T01:00"),
        ("Europe/Kyiv", (2026, 3, 28), "tomorrow 2:59", "2026-03-29T00:59"),
        ("Europe/Kyiv", (2026, 10, 24), "tomorrow 3:30", "2026-10-25T00:30"),  # twice: the first one
        ("Africa/Cairo", (2026, 4, 23), "tomorrow", "2026-04-23T22:00"),  # that day begins at 1:00
        ("Pacific/Apia", (2011, 12, 29), "2011-12-30 12:00", "2011-12-30T10:00"),  # there was no such day
    ],
)
def test_where_clocks_are_changed_it_is_the_first_moment_that_fits(
    zone: str, day: tuple[int, int, int], text: str, meant: str
) -> None:
    there = ZoneInfo(zone)
    at = datetime(*day, 12, 0, tzinfo=there)
    assert f"{read_until(text, at, there):%Y-%m-%dT%H:%M}" == meant


ZONES = st.sampled_from(["Europe/Kyiv", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "UTC"])
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


DAY_WORDS = (
    "29",
    "31",
    "1st",
    "may",
    "february",
    "лютого",
    "2028",
    "next",
    "this",
    "friday",
    "9:00",
    "25:00",
    "on",
)
DAYS = st.lists(st.sampled_from(DAY_WORDS), max_size=5).map(" ".join)


@given(MOMENTS, ZONES, st.integers(0, 23), st.integers(0, 59))
def test_a_time_alone_comes_within_a_day(at: datetime, zone: str, hour: int, minute: int) -> None:
    found = read_until(f"{hour}:{minute:02}", at, ZoneInfo(zone))
    assert at < found <= at + timedelta(hours=25)


@given(MOMENTS, ZONES, st.text(max_size=30) | st.text("0123456789:-hdwмпн t", max_size=20) | DAYS)
def test_no_text_does_anything_but_mean_a_time_or_be_refused(at: datetime, zone: str, text: str) -> None:
    try:
        found = read_until(text, at, ZoneInfo(zone))
    except Refused:
        return
    assert at < found <= at + timedelta(days=366)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        *(("30m", 30), ("2h", 120), ("1d", 1440), ("90s", 1.5), ("30", 30), (" 5 ", 5), ("1h30m", 90)),
        *(("2 години", 120), ("10 хвилин", 10), ("45 MIN", 45), ("1w", 10_080)),
    ],
)
def test_a_length_of_time_is_read_and_a_number_alone_counts_minutes(text: str, minutes: float) -> None:
    assert read_span(text) == timedelta(minutes=minutes)


@pytest.mark.parametrize("text", ["", "0", "0m", "-5m", "5x", "m", "1.5h", "half an hour", "5 m m", "9" * 50])
def test_what_is_no_length_of_time_is_refused(text: str) -> None:
    with pytest.raises(Refused) as found:
        read_span(text)
    assert found.value.key == "span-unclear"
    for language in LANGUAGES:
        assert text in tell(language, found.value)
