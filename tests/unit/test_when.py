"""When a task is to run, as people write it in both languages."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.schedules import Schedule
from nanoclaw.texts import LANGUAGES, tell
from nanoclaw.times.when import read_when

KYIV = ZoneInfo("Europe/Kyiv")
NOW = datetime(2026, 11, 18, 15, 30, tzinfo=KYIV)  # a Wednesday


def read(text: str, at: datetime = NOW, zone: str = "Europe/Kyiv") -> str:
    return told(read_when(text, at, zone))


def told(schedule: Schedule) -> str:
    """`0 8 * * 1`, `5400 s`, or the clock of the person at the one time."""
    if schedule.type == "once":
        moment = datetime.fromisoformat(schedule.value)
        return f"{moment.astimezone(ZoneInfo(schedule.timezone)):%a %Y-%m-%d %H:%M}"
    return schedule.value if schedule.type == "cron" else f"{schedule.value} s"


def refused(text: str, at: datetime = NOW, zone: str = "Europe/Kyiv") -> str:
    with pytest.raises(Refused) as found:
        read_when(text, at, zone)
    return shown(found.value)


def shown(error: Refused) -> str:
    """Its key; a person is shown every value, in both languages, and nothing is left open."""
    for language in LANGUAGES:
        sentence = tell(language, error)
        assert not sentence.startswith("error-"), error.key
        assert "{" not in sentence.replace(str(error.values.get("text")), "")
        for name, value in error.values.items():
            assert name == "field" or str(value) in sentence, sentence
    return error.key


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("0 8 * * 1", "0 8 * * 1"),
        ("  0  8 * * 1  ", "0 8 * * 1"),
        ("cron 0 8 * * 1", "0 8 * * 1"),
        ("CRON: */15 9-17 * * mon-fri", "*/15 9-17 * * MON-FRI"),
        ("0 9 1 jan,jul *", "0 9 1 JAN,JUL *"),
        ("0 9 L * *", "0 9 L * *"),
        ("@daily", "0 0 * * *"),
        ("@Weekly", "0 0 * * 0"),
        ("@hourly", "0 * * * *"),
    ],
)
def test_five_fields_of_cron_are_taken_as_they_are(text: str, fields: str) -> None:
    assert read(text) == fields


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("every 90m, every 90 minutes, every 1h30m, кожні 90 хвилин, що 90 хвилин, each 90 min", 5400),
        ("every 2 hours, every 2h, кожні 2 години, Every 2 Hours, once every 2 hours, раз на 2 години", 7200),
        ("every hour, hourly, every 1 hour, every 60m, щогодини, кожної години, кожну годину", 3600),
        ("once an hour, once every hour, раз на годину", 3600),
        ("every 15 minutes, кожні 15 хвилин, що 15 хв", 900),
        ("every half an hour, every half hour, once every half hour, кожні півгодини", 1800),
        ("every minute, щохвилини", 60),
        ("every 2 days, кожні 2 дні, every 48h", 172_800),
    ],
)
def test_a_distance_is_an_interval(written: str, seconds: int) -> None:
    for text in written.split(", "):
        assert read(text) == f"{seconds} s", text


@pytest.mark.parametrize(
    ("written", "fields"),
    [
        ("every day at 9:00; every day 9:00; every day 9; daily at 9am; daily at 9; Daily 9:00", "0 9 * * *"),
        (
            "at 9:00 every day; о 9:00 щодня; щодня о 9:00; щодня о 9; щодня 09:00; щоденно о 9:00",
            "0 9 * * *",
        ),
        ("кожного дня о 9 ранку; кожен день о 9:00; щодня о 9-й годині; every day at 9 o'clock", "0 9 * * *"),
        ("once a day at 9; once every day 9:00; раз на день о 9; щодня о 9 год; щодня о 9 год.", "0 9 * * *"),
        ("once a month on the 1st at 9; раз на місяць 1 числа о 9", "0 9 1 * *"),
        ("daily at 9pm; every day 9 pm; every day at 9 p.m.; щодня о 21:00; щодня о 9 вечора", "0 21 * * *"),
        ("daily at 12am; щодня опівночі; every day at midnight; daily at 0", "0 0 * * *"),
        ("daily at 12pm; every day at noon; щодня опівдні", "0 12 * * *"),
        ("every day at 9:30am; щодня о 9:30", "30 9 * * *"),
        ("every day at 9:00 and 18:00; щодня о 9:00 та 18:00; daily at 9am, 6pm", "0 9,18 * * *"),
        ("every month on the 1st at 9:00; monthly 9:00; every month at 9; щомісяця о 9:00", "0 9 1 * *"),
        ("щомісяця 1 числа о 9:00; кожного 1-го числа о 9:00; every 1st of the month at 9:00", "0 9 1 * *"),
        ("monthly on the 1st and 15th at 9:00; щомісяця 1-го та 15-го о 9:00", "0 9 1,15 * *"),
        ("every last day of the month at 18:00; щомісяця в останній день о 18:00", "0 18 L * *"),
        ("first monday of every month at 9:00; every 1st monday of the month at 9", "0 9 * * 1#1"),
        ("monthly on the second tuesday at 9; щомісяця у другий вівторок о 9:00", "0 9 * * 2#2"),
        ("кожного третього четверга місяця о 9:00; every month on the third thursday at 9", "0 9 * * 4#3"),
        ("on the last friday of each month at 17:00; щомісяця в останню п'ятницю о 17:00", "0 17 * * 5L"),
        ("every month on the first sunday and the third sunday at 9:00", "0 9 * * 0#1,0#3"),
        ("every day at 9.30; щодня о 9.30", "30 9 * * *"),
        ("every 1 may at 9:00; every may 1st 9am; щороку 1 травня о 9:00; yearly on 1 may at 9", "0 9 1 5 *"),
        ("кожного 1-го травня о 9:00; every year on the 1st of may at 9; 1 may every year at 9", "0 9 1 5 *"),
        ("every 1 may and 15 may at 9:00", "0 9 1,15 5 *"),
        ("every 1 may and 1 june at 9:00; щороку 1 травня та 1 червня о 9:00", "0 9 1 5,6 *"),
        ("every 29 february at 9:00", "0 9 29 2 *"),
        ("every morning at 9; щоранку о 9:00; кожного ранку о 9; every day at 9 in the morning", "0 9 * * *"),
        ("every evening at 9; щовечора о 9; nightly at 9; щодня о дев'ятій вечора", "0 21 * * *"),
    ],
)
def test_a_day_and_a_clock_are_a_time_of_the_clock(written: str, fields: str) -> None:
    for text in written.split("; "):
        assert read(text) == fields, text


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("every monday 8:00; every mon at 8; mondays at 8:00; щопонеділка о 8:00; кожен понеділок о 8", "1"),
        ("every tuesday 8:00; tuesdays 8:00; щовівторка о 8:00; кожного вівторка о 8:00", "2"),
        ("every wed 8am; щосереди о 8:00; кожну середу о 8:00; по середах о 8:00", "3"),
        ("every thursday 8:00; on thursdays at 8; щочетверга о 8:00; кожного четверга о 8:00", "4"),
        (
            "every friday 8:00; щоп'ятниці о 8:00; щоп’ятниці о 8; щопʼятниці 8:00; кожної п'ятниці о 8:00",
            "5",
        ),
        ("every sat 8:00; щосуботи о 8:00; кожної суботи о 8:00; по суботах о 8:00", "6"),
        ("every sunday 8:00; sundays at 8; щонеділі о 8:00; кожну неділю о 8:00; по неділях о 8", "0"),
        ("weekly on monday at 8:00; every week on monday at 8; щотижня в понеділок о 8:00; щотижня о 8", "1"),
        ("once a week on monday at 8; раз на тиждень у понеділок о 8:00", "1"),
        ("at 8:00 every monday; о 8:00 щопонеділка; at 8 on mondays", "1"),
        ("every mon, wed and fri at 8:00; mondays, wednesdays and fridays at 8", "1,3,5"),
        ("щопонеділка, щосереди та щоп'ятниці о 8:00; по понеділках, середах і п'ятницях о 8:00", "1,3,5"),
        ("weekdays at 8; every weekday at 8:00; on weekdays 8am; по буднях о 8:00; у будні о 8", "1-5"),
        ("mon-fri 8:00; monday to friday at 8; пн-пт о 8:00; з понеділка по п'ятницю о 8:00", "1-5"),
        ("every mon - fri at 8:00; кожного робочого дня о 8:00; 8:00 on weekdays", "1-5"),
        ("weekends 8:00; every weekend at 8; у вихідні о 8:00; по вихідних о 8:00", "0,6"),
        ("fri-mon 8:00; every sat, sun, mon and fri 8:00", "0,1,5,6"),
        ("mon-sun 8:00", "*"),
    ],
)
def test_weekdays_have_the_numbers_of_cron_where_sunday_is_zero(written: str, number: str) -> None:
    for text in written.split("; "):
        assert read(text) == f"0 8 * * {number}", text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("18:00; at 18:00; о 18:00; 6pm; 6 pm; at 6pm; at 18; о 18; once at 18:00", "Wed 2026-11-18 18:00"),
        ("9:00; at 9; о 9; 9am; одноразово о 9; tomorrow 9; завтра о 9; завтра 9", "Thu 2026-11-19 09:00"),
        (
            "tomorrow 9:00; завтра о 9:00; завтра о 9 ранку; 9am tomorrow; на завтра о 9",
            "Thu 2026-11-19 09:00",
        ),
        ("о 9 год; о 9 год ранку; завтра о 9 год", "Thu 2026-11-19 09:00"),
        (
            "day after tomorrow at 9; the day after tomorrow at 9; 9am the day after tomorrow; післязавтра о 9",
            "Fri 2026-11-20 09:00",
        ),
        ("monday 9:00; on monday at 9; у понеділок о 9; пн 9; once monday 9am", "Mon 2026-11-23 09:00"),
        ("2026-11-20T08:00; 2026-11-20 08:00; 2026-11-20 8:00; at 2026-11-20 08:00", "Fri 2026-11-20 08:00"),
        ("2026-11-20 08:00+02:00; 2026-11-20T06:00Z; 2026-11-20T06:00:00.000Z", "Fri 2026-11-20 08:00"),
        ("2026-11-20T01:00-0500; 2026-11-20 06:00 +00; once 2026-11-20T06:00z", "Fri 2026-11-20 08:00"),
        (
            "20.11.2026 8:00; 20.11.2026 о 8; о 8.00 20.11.2026; fri 20.11.2026 at 8.00",
            "Fri 2026-11-20 08:00",
        ),
        ("1.05.2027 9:00; 01.5.2027 о 9", "Sat 2027-05-01 09:00"),
        ("2027-11-18 10:00; 2027-11-18T08:00Z", "Thu 2027-11-18 10:00"),
        ("in 2 hours; через 2 години; 2h; in 120 min; once in 2 hours; за 2 години", "Wed 2026-11-18 17:30"),
        ("in an hour; через годину; in 1h; in 60 minutes", "Wed 2026-11-18 16:30"),
        ("10 minutes from now; in 10 minutes; 10 min from now", "Wed 2026-11-18 15:40"),
        (
            "in half an hour; in half hour; через півгодини; через пів години; через 30 хвилин",
            "Wed 2026-11-18 16:00",
        ),
        ("in a week; через тиждень; 7 days", "Wed 2026-11-25 15:30"),
        ("this friday at 5pm; this coming friday 17:00; у цю п'ятницю о 17", "Fri 2026-11-20 17:00"),
        ("next friday at 5pm; наступної п'ятниці о 17; у наступну п’ятницю о 17:00", "Fri 2026-11-27 17:00"),
        (
            "1 may at 9:00; may 1st 9:00; May 1, 9am; at 9 on the 1st of may; 1 травня о 9",
            "Sat 2027-05-01 09:00",
        ),
        ("1 may 2027 at 9:00; may 1st, 2027 9:00; 1-го травня 2027 року о 9:00", "Sat 2027-05-01 09:00"),
        ("saturday 1 may 9:00; субота, 1 травня, 9:00", "Sat 2027-05-01 09:00"),
        ("18 november 16:00; nov 18 at 4pm", "Wed 2026-11-18 16:00"),
        ("18 november 9:00; 18 листопада о 9", "Thu 2027-11-18 09:00"),
        ("monday morning at 9; on monday morning 9", "Mon 2026-11-23 09:00"),
        (
            "о шостій вечора; at six pm; tonight at 6; this evening 6; сьогодні ввечері о 6",
            "Wed 2026-11-18 18:00",
        ),
        ("завтра вранці о 9; завтра о дев'ятій; tomorrow at nine o'clock", "Thu 2026-11-19 09:00"),
    ],
)
def test_one_time_is_read_as_until_is(written: str, meant: str) -> None:
    for text in written.split("; "):
        assert read(text) == meant, text


@pytest.mark.parametrize(
    ("zone", "text", "meant"),
    [
        ("Europe/Kyiv", "2027-03-28 03:30", "2027-03-28T01:00:00+00:00"),  # 3:00 to 4:00 is left out
        ("Europe/Kyiv", "2027-03-28T03:30:20", "2027-03-28T01:00:00+00:00"),
        ("Europe/Kyiv", "2027-10-31 03:30", "2027-10-31T00:30:00+00:00"),  # twice: the first one
        ("America/New_York", "2026-11-20 08:00", "2026-11-20T13:00:00+00:00"),
        ("America/New_York", "2026-11-20 08:00+02:00", "2026-11-20T06:00:00+00:00"),
        ("Asia/Kathmandu", "2026-11-20T08:00:15", "2026-11-20T02:15:15+00:00"),
    ],
)
def test_a_time_without_an_offset_is_that_of_the_zone(zone: str, text: str, meant: str) -> None:
    assert read_when(text, NOW, zone).value == meant


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("* * * * * *", "cron-seconds"),
        ("cron 0 0 8 * * 1", "cron-seconds"),
        ("* * * *", "cron-fields"),
        ("0 0 8 * * 1 2027", "cron-fields"),
        ("61 * * * *", "cron-field"),
        ("0 8 * * 8", "cron-field"),
        ("0 8 ? * 1", "cron-field"),
        ("0 0 31 2 *", "cron-never"),
        ("every 0 minutes", "interval-short"),
        ("every 59 seconds", "interval-short"),
        ("every 400 days", "interval-long"),
        ("кожні 0 хвилин", "interval-short"),
        *(
            (text, "when-clock")
            for text in ("every day", "щодня", "daily", "every monday", "щоп'ятниці", "today")
        ),
        *(
            (text, "when-clock")
            for text in ("weekdays", "по буднях", "monthly", "щотижня", "every mon and fri")
        ),
        *(
            (text, "until-past")
            for text in ("2026-11-17 08:00", "today 9:00", "2026-11-18T13:30Z", "in 0 hours")
        ),
        *((text, "until-past") for text in ("0001-01-01T00:00+14:00", "2026-11-18 15:30", "1 may 2026 9:00")),
        ("29 february 9:00", "until-far"),
        *(
            (text, "when-clock")
            for text in ("завтра вранці", "every morning", "every evening", "щоранку", "1 may")
        ),
        *(
            (text, "when-clock")
            for text in ("tonight", "next friday", "this coming friday", "по буднях вранці", "every 1 may")
        ),
        *((text, "when-clocks") for text in ("every day at 9:00 and 18:30", "щодня о 9:00 та 18:30")),
        *((text, "when-clocks") for text in ("tomorrow at 9 and 18:30", "every 1 may and 2 june at 9:00")),
        ("every friday at 18:00 and saturday at 10:00", "when-clocks"),
        *((text, "when-every-other") for text in ("every other day at 9", "every second monday at 9:00")),
        *(
            (text, "when-every-other")
            for text in ("every 2 days at 9:00", "every 3rd day at 9", "every other week")
        ),
        *((text, "when-every-other") for text in ("кожен другий день о 9:00", "о 9:00 кожні 2 дні")),
        *((text, "when-no-such-day") for text in ("2026-02-31", "2026-02-30 08:00", "2027-13-01T08:00Z")),
        *(
            (text, "when-no-such-day")
            for text in ("31 february", "31 february 9:00", "31 лютого о 9", "may 45 9:00")
        ),
        *(
            (text, "when-no-such-day")
            for text in ("every 31 february", "щороку 31 лютого о 8:00", "30 feb 2028 9:00")
        ),
        *(
            (text, "when-no-such-day")
            for text in ("31.02.2027 9:00", "1.13.2026 9:00", "fri 21.11.2026 9:00")
        ),
        *((text, "when-no-such-day") for text in ("monthly on the 32nd at 9:00", "monday 1 may 9:00")),
        *(
            (text, "when-no-such-clock")
            for text in ("25:00", "9:75", "every day at 25:00", "2026-11-20 24:00")
        ),
        *((text, "when-no-such-clock") for text in ("щодня о 9:75", "next friday 99:99", "1 may 24:00")),
        *((text, "until-far") for text in ("2027-11-20 08:00", "9999-12-31T23:59-12:00", "in 400 days")),
    ],
)
def test_what_is_wrong_is_said(text: str, key: str) -> None:
    assert refused(text) == key


@pytest.mark.parametrize(
    "text",
    [
        *(
            "9",
            "18",
            "soon",
            "every",
            "every at 9:00",
            "cron",
            "cron every day",
            "@reboot",
            "at",
            "once",
        ),
        *(
            "every 9:00",
            "every day at",
            "every second",
        ),
        *(
            "every day at 13pm",
            "every day at 0am",
            "monthly 9",
        ),
        *(
            "every day monday 9:00",
            "every next friday at 9:00",
            "every year at 9:00",
            "every 1 may monday at 9:00",
            "every night at 12",
            "next week",
            "may at 9:00",
        ),
        *(
            "every month on monday at 9:00",
            "every 1st monday at 9:00",
            "every month on the fifth friday at 9:00",
            "every month on the first monday and on the 15th at 9:00",
            "last friday of the month at 17:00",
            "every hour at 9:00",
            "monday friday 9:00",
        ),
        *(
            "until monday",
            "до понеділка",
            "for 3 hours",
            "на 3 години",
            "in 9:00",
            "через",
            "in",
            "-3h",
            "every -3h",
        ),
        *(
            "2026-11-20 08:00+99:00",
            "2026-11-20 08:00+2",
            "20.11 9:00",
            "20/11/2026 9:00",
            "20.11.26 9:00",
            "17.30",
        ),
        *(
            "every day at ٩:٠٠",
            "every ٢ hours",
            "½h",
            "every ² hours",
            "\0",
            "every\0day at 9:00",
            "\ud800",
            "🕘",
        ),
        *("x" * 101, "every day at 9:00" + " " * 100, "9" * 90, "* " * 49, "every " * 16, "🙂" * 100),
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_what_cannot_be_understood_is_refused(text: str) -> None:
    assert refused(text) in ("when-unclear", "cron-fields")


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_a_time_that_is_missing_is_asked_for(text: str) -> None:
    assert refused(text) == "when-missing"
    assert '"' not in tell("en", Refused("when-missing"))


def test_a_zone_that_nobody_knows_is_refused() -> None:
    assert refused("every day at 9:00", zone="Mars/Olympus") == "timezone-unknown"
    assert refused("every 2 hours", zone="../../etc/passwd") == "timezone-unknown"
    assert refused("in 2 hours", zone="") == "timezone-unknown"


ZONES = st.sampled_from(["Europe/Kyiv", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "UTC"])
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
WORDS = (
    "every each daily mon friday weekdays month 1st last day hour 2 15 9 9:00 12am noon at on and to in for 3h * */5 0 "
    "may 31 february 2027 next this morning evening other second year 18:30 25:00 9:75 six pm 2026-02-31 лютого щороку "
    "наступну п'ятницю вранці щовечора шостій cron @daily tomorrow 2026-11-20 08:00Z "
    "щодня щоп'ятниці кожні що по буднях числа о в завтра через години | - : \n"
)
HUGE = [
    *(
        "x" * 1_000_000,
        " " * 1_000_000,
        "every " * 200_000,
        "* " * 500_000,
        "1" * 1_000_000,
        '"' * 1_000_000,
    ),
    *(
        "every day at 9:00 " * 50_000,
        "may 1 " * 200_000,
        "next " * 200_000,
        "every other 9:00 " * 60_000,
        "0,0" * 300_000 + " 8 * * 1",
        "\n" * 1_000_000 + "x",
        "a\0\u202e" * 300_000,
    ),
]


@given(
    MOMENTS,
    ZONES,
    st.lists(st.sampled_from(WORDS.split(" ")), max_size=9).map(" ".join) | st.text(max_size=40),
)
@example(NOW, "UTC", "9999-12-31 23:59-23:59")
@example(NOW, "UTC", "0001-01-01 00:00+23:59")
def test_no_text_does_anything_but_mean_a_time_or_be_refused(at: datetime, zone: str, text: str) -> None:
    try:
        schedule = read_when(text, at, zone)
    except Refused as error:
        shown(error)
        return
    due = schedule.next_after(at)
    assert due is not None
    assert due > at


@pytest.mark.parametrize("text", HUGE, ids=lambda text: ascii(text[:20]))
def test_what_is_huge_is_refused(text: str) -> None:
    assert refused(text) == "when-unclear"


def test_the_next_friday_is_the_one_of_the_next_week() -> None:
    for day in (16, 19, 20, 21, 22):  # Monday to Sunday
        assert read("next friday 9:00", NOW.replace(day=day)) == "Fri 2026-11-27 09:00"


def test_a_date_without_its_year_is_the_next_such_date() -> None:
    eve = datetime(2027, 2, 28, 10, 0, tzinfo=KYIV)
    assert read("28 february 11:00", eve) == "Sun 2027-02-28 11:00"
    assert read("28 february 9:00", eve) == "Mon 2028-02-28 09:00"
    assert read("29 february 9:00", datetime(2027, 3, 1, tzinfo=KYIV)) == "Tue 2028-02-29 09:00"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_in_the_sentences_is_understood(language: str) -> None:
    """What a person is told to write instead must work."""
    unclear = tell(language, Refused("when-unclear", text="?"))
    assert unclear.partition(" (")[2] == tell(language, Refused("when-missing")).partition(" (")[2]
    examples = [part for inside in re.findall(r"\(([^)]*)\)", unclear) for part in re.split(", ", inside)]
    clock = tell(language, Refused("when-clock", text="?")).rsplit(": ", 1)[1].rstrip(".").split(", ")
    assert len(examples) == 7
    for example_ in [*examples, *clock]:
        read_when(example_.strip("`"), NOW, "Europe/Kyiv")
    other = re.findall(r"\(([^)]*)\)", tell(language, Refused("when-every-other", text="?")))
    assert [read(distance) for distance in other[0].split(", ")] == ["172800 s", "1209600 s"]
    assert read(other[1]) == "0 9 * * 1,3,5"
    clocks = tell(language, Refused("when-clocks", text="?"))
    assert read(clocks.rsplit(": ", 1)[1].rstrip(".")) == "0 9,18 * * *"
    day = tell(language, Refused("when-no-such-day", text="?"))
    assert read(re.split("such as |як-от ", day)[1].rstrip(".")) == "Sun 2027-02-28 09:00"
    for key in ("cron-seconds", "cron-fields", "cron-never", "interval-long"):
        sentence = tell(language, Refused(key, text="?", days=400))
        for fields in re.findall("`([^`]+)`", sentence):
            assert read(fields) == fields
