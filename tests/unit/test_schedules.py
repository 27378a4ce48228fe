"""When a task is due, against an oracle that walks through the days minute by minute and looks at the clock.

The oracle knows nothing of cronsim nor of how moments are found. It is asked around one change of the clocks of every
kind that any zone of tzdata makes, and by hypothesis in zones that do odd things.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import islice, pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import known_zone
from nanoclaw.domain.schedules import Schedule, ScheduleType, cron, interval, once
from nanoclaw.texts import LANGUAGES, tell

pytestmark = pytest.mark.capability("F2")

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NOW = datetime(2026, 11, 18, 13, 30, tzinfo=UTC)
ZONES = sorted(zone for zone in available_timezones() if known_zone(zone))
ODD_ZONES = (
    *("Australia/Lord_Howe", "America/New_York", "Europe/Kyiv", "Africa/Casablanca", "Asia/Kathmandu"),
    *("Pacific/Apia", "America/Sao_Paulo", "Africa/Cairo", "Europe/Dublin", "America/Nuuk", "America/Havana"),
)
Wall = Callable[[datetime], bool]


# The oracle.


def numbers(field: str, least: int, most: int) -> set[int]:
    """`5`, `1-5`, `*`, `*/15`, `8-18/2`, and lists of them."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = (f"{least}-{most}" if span == "*" else span).partition("-")
        found |= set(range(int(first), int(last or first) + 1, int(step or 1)))
    return found


def matcher(expression: str) -> Wall:
    minute, hour, day, month, weekday = expression.split(" ")
    minutes, hours, days = numbers(minute, 0, 59), numbers(hour, 0, 23), numbers(day, 1, 31)
    months, weekdays = numbers(month, 1, 12), numbers(weekday, 0, 6)

    def day_fits(on: date) -> bool:
        told = (on.day in days, on.isoweekday() % 7 in weekdays)
        return on.month in months and (all if day[0] == "*" or weekday[0] == "*" else any)(told)

    return lambda wall: wall.minute in minutes and wall.hour in hours and day_fits(wall.date())


@cache
def minutes_of(zone: str, begin: datetime, end: datetime) -> list[tuple[datetime, datetime, list[datetime]]]:
    """Every minute with what the clock shows then, and all that it shows for the first time or has just skipped."""
    place = ZoneInfo(zone)
    shown: datetime | None = None
    rows = []
    for number in range((end - begin) // MINUTE + 1):
        at = begin + MINUTE * number
        wall = at.astimezone(place).replace(tzinfo=None, fold=0)
        ahead = 1 if shown is None else (wall - shown) // MINUTE
        rows.append((at, wall, [wall - MINUTE * back for back in range(ahead)]))
        shown = wall if ahead > 0 else shown
    return rows


def oracle(expression: str, zone: str, begin: datetime, end: datetime) -> list[datetime]:
    """Every moment after `begin` and up to `end` at which it is due."""
    fits = matcher(expression)
    rows = minutes_of(zone, begin - 6 * HOUR, end)  # no clock is set back by more
    if expression.split(" ")[1] == "*":
        return [at for at, wall, _ in rows if at > begin and fits(wall)]
    return [at for at, _, walls in rows if at > begin and any(map(fits, walls))]


# The changes of the clocks.


def changes(zone: str, first: int, last: int) -> Iterator[datetime]:
    """The moments at which the clocks of a zone are set, in these years."""
    place = ZoneInfo(zone)
    week = timedelta(weeks=1)
    begin = datetime(first, 1, 1, tzinfo=UTC)
    for number in range((last - first + 1) * 53):
        before, after = begin + week * number, begin + week * (number + 1)
        if offset(before, place) == offset(after, place):
            continue
        while after - before > MINUTE:
            middle = before + ((after - before) // 2 // MINUTE) * MINUTE
            before, after = (
                (middle, after) if offset(middle, place) == offset(before, place) else (before, middle)
            )
        yield after


def offset(at: datetime, place: ZoneInfo) -> timedelta:
    return at.astimezone(place).utcoffset() or timedelta()


@cache
def kinds_of_change() -> list[tuple[str, datetime]]:
    """One change of every kind that there is: at which time of the day, from which offset to which."""
    kinds: dict[tuple[object, ...], tuple[str, datetime]] = {}
    for zone in ZONES:
        place = ZoneInfo(zone)
        for at in [*changes(zone, 2024, 2026), *changes(zone, 2036, 2037)]:
            before = at - MINUTE
            wall = before.astimezone(place)
            kinds.setdefault((wall.hour, wall.minute, offset(before, place), offset(at, place)), (zone, at))
    return sorted(kinds.values())


def around(zone: str, at: datetime) -> list[str]:
    """Expressions that name the times about the change, and some that go through it."""
    place = ZoneInfo(zone)
    walls = [(at + step).astimezone(place) for step in (-HOUR, -MINUTE, timedelta(), MINUTE, HOUR)]
    last = (at - MINUTE).astimezone(place).replace(tzinfo=None, fold=0) + MINUTE
    moved = at.astimezone(place).replace(tzinfo=None, fold=0) - last
    inside = [last, last + moved // 2, last + moved - MINUTE]  # what is skipped, or comes twice
    told = sorted({(wall.minute, wall.hour) for wall in [*walls, *inside]})
    return [
        *(f"{minute} {hour} * * *" for minute, hour in told),
        f"15,45 {last.hour},{(last + moved).hour} {last.day} * *",
        f"*/20 {max(0, last.hour - 2)}-{min(23, last.hour + 2)} * * *",
        *("0 * * * *", "*/15 * * * *", "17 */2 * * *", "0 0 * * *", "5 23 * * 0-3", "30 8 * * 1-5"),
    ]


def due_times(schedule: Schedule, begin: datetime, end: datetime) -> list[datetime]:
    found = []
    for at in schedule.times_after(begin):
        if at > end:
            break
        found.append(at)
    return found


# Times of the clock.


def test_the_clocks_are_set_forward_and_back_by_an_hour_and_by_less() -> None:
    moved = {
        offset(at, ZoneInfo(zone)) - offset(at - MINUTE, ZoneInfo(zone)) for zone, at in kinds_of_change()
    }
    assert {HOUR, -HOUR, HOUR / 2, -HOUR / 2} <= moved
    assert len(ZONES) > 400
    assert len(kinds_of_change()) > 30


def test_at_every_kind_of_change_a_task_is_due_when_the_clock_first_shows_or_skips_it() -> None:
    for zone, at in kinds_of_change():
        begin, end = at - 13 * HOUR, at + 25 * HOUR
        for expression in around(zone, at):
            schedule = cron(expression, zone, begin)
            known = oracle(expression, zone, begin, end)
            assert due_times(schedule, begin, end) == known, (zone, at, expression)


@pytest.mark.parametrize("year", [2026, 2037])
def test_in_every_zone_a_time_of_the_clock_comes_once_a_day_about_each_change(year: int) -> None:
    for zone in ZONES:
        place = ZoneInfo(zone)
        for at in changes(zone, year, year):
            wall = (at + timedelta(minutes=10)).astimezone(place)
            for hour in (wall.hour, (wall.hour - 1) % 24):
                schedule = cron(f"{wall.minute} {hour} * * *", zone, at - 2 * DAY)
                times = list(islice(schedule.times_after(at - 2 * DAY), 4))
                apart = [later - sooner for sooner, later in pairwise(times)]
                assert all(21 * HOUR < each < 27 * HOUR for each in apart), (zone, at)


def test_a_time_that_does_not_exist_comes_once_just_after() -> None:
    schedule = cron("30 3 * * *", "Europe/Kyiv", datetime(2026, 3, 27, 12, tzinfo=UTC))
    times = islice(schedule.times_after(schedule.anchor), 3)
    assert [f"{at:%d %H:%M}" for at in times] == ["28 01:30", "29 01:00", "30 00:30"]


def test_a_time_that_comes_twice_counts_once_even_when_asked_in_between() -> None:
    schedule = cron("30 3 * * *", "Europe/Kyiv", datetime(2026, 10, 24, 12, tzinfo=UTC))
    first, second = islice(schedule.times_after(schedule.anchor), 2)
    assert (f"{first:%d %H:%M}", f"{second:%d %H:%M}") == ("25 00:30", "26 01:30")
    between = first
    while (between := between + timedelta(minutes=7)) < second:
        assert schedule.next_after(between) == second


def test_a_day_that_does_not_exist_is_made_up_for_at_the_beginning_of_the_next() -> None:
    before = datetime(2011, 12, 29, 12, tzinfo=ZoneInfo("Pacific/Apia"))  # the 30th was left out
    schedule = cron("0 12 30 12 *", "Pacific/Apia", before)
    assert schedule.next_after(before) == datetime(2011, 12, 30, 10, tzinfo=UTC)


@st.composite
def expressions(draw: st.DrawFn) -> str:
    minute = draw(
        st.sampled_from(["0", "30", "59", "*/15", "0,30", "10-50/20", "7"]) | st.integers(0, 59).map(str)
    )
    hour = draw(st.sampled_from(["*", "*/2", "0-5", "1,2,3", "0,23", "*/1"]) | st.integers(0, 23).map(str))
    day = draw(st.sampled_from(["*", "*", "*", "*/2", "1-7", "8-31", "25-31"]))
    month = draw(st.sampled_from(["*", "*", "*", "3-4", "9-11"]))
    weekday = draw(st.sampled_from(["*", "*", "*", "0", "1-5", "6,0", "*/2"]))
    return f"{minute} {hour} {day} {month} {weekday}"


@cache
def moments_of_interest(zone: str) -> list[datetime]:
    """Also long ago, when more of them set their clocks, and one skipped a day."""
    return [*changes(zone, 2009, 2011), *changes(zone, 2016, 2019), *changes(zone, 2025, 2037), NOW]


@given(expressions(), st.sampled_from(ODD_ZONES), st.data())
def test_any_expression_is_due_as_the_oracle_says(expression: str, zone: str, data: st.DataObject) -> None:
    middle = data.draw(st.sampled_from(moments_of_interest(zone)))
    whole = (middle - 1.5 * DAY, middle + 1.5 * DAY)
    schedule = cron(expression, zone, whole[0])
    known = oracle(expression, zone, *whole)
    assert due_times(schedule, *whole) == known
    asked = whole[0] + timedelta(microseconds=data.draw(st.integers(0, 3 * 86_400_000_000)))
    # The same moment, told elsewhere.
    there = asked.astimezone(ZoneInfo(data.draw(st.sampled_from(ODD_ZONES))))
    later = [at for at in known if at > asked]
    if later:
        assert schedule.next_after(asked) == schedule.next_after(there) == later[0]
        few = later[:99]  # of more it is told about how many
        assert schedule.runs_within(there, few[-1] - asked) == len(few)
        assert schedule.last_times(later[0], whole[1], 3) == later[-3:]
    else:
        following = schedule.next_after(there)
        assert following is None or following > whole[1]


# Even distances.


@given(st.sampled_from(ODD_ZONES), st.integers(1, 40_000), st.data())
def test_an_interval_keeps_its_real_distance_whatever_the_clocks_do(
    zone: str, minutes: int, data: st.DataObject
) -> None:
    middle = data.draw(st.sampled_from(moments_of_interest(zone)))
    # On the clock of the zone: to count with such moments would lose an hour.
    anchor = (middle - timedelta(minutes=data.draw(st.integers(0, 2880)))).astimezone(ZoneInfo(zone))
    schedule = interval(MINUTE * minutes, zone, anchor)
    times = list(islice(schedule.times_after(anchor), 5))
    assert times == [anchor.astimezone(UTC) + MINUTE * minutes * number for number in range(1, 6)]
    assert schedule.next_after(times[2].astimezone(ZoneInfo(zone))) == times[3]
    assert schedule.next_after(times[2] - timedelta(microseconds=1)) == times[2]
    assert schedule.next_after(anchor - DAY) == times[0]
    assert schedule.runs_within(anchor, MINUTE * minutes * 7) == 7


@pytest.mark.parametrize("zone", ["Europe/Kyiv", "America/New_York", "Africa/Casablanca"])
def test_every_hour_is_every_hour_on_the_days_on_which_clocks_are_set(zone: str) -> None:
    for at in changes(zone, 2026, 2026):
        for expression, distance in (("0 * * * *", HOUR), ("*/15 * * * *", HOUR / 4), ("* * * * *", MINUTE)):
            times = due_times(cron(expression, zone, at - 4 * HOUR), at - 4 * HOUR, at + 4 * HOUR)
            assert {later - sooner for sooner, later in pairwise(times)} == {distance}


# Once, and how often.


def test_once_is_one_time_and_then_none() -> None:
    schedule = once(NOW.astimezone(ZoneInfo("Asia/Kathmandu")) + HOUR, "Asia/Kathmandu", NOW)
    assert (schedule.type, schedule.value) == (ScheduleType.ONCE, "2026-11-18T14:30:00+00:00")
    assert list(schedule.times_after(NOW)) == [NOW + HOUR]
    assert schedule.next_after(NOW + HOUR) is None
    assert not schedule.repeats
    assert schedule.runs_within(NOW, DAY) == 1
    assert schedule.runs_within(NOW, HOUR / 2) == 0


def test_what_comes_once_a_year_is_not_counted_into_the_far_future() -> None:
    assert cron("@yearly", "Europe/Kyiv", NOW).runs_within(NOW, timedelta(days=30)) == 0
    assert cron("@yearly", "Europe/Kyiv", NOW).runs_within(NOW, timedelta(days=60)) == 1
    assert cron("* * * * *", "Europe/Kyiv", NOW).runs_within(NOW, timedelta(days=60)) == 60 * 24 * 60


@pytest.mark.parametrize("most", [1, 4, 100])
def test_the_last_times_are_found_from_the_end(most: int) -> None:
    since = datetime(2026, 1, 1, tzinfo=UTC)
    daily = cron("0 9 * * *", "UTC", since)
    begin = datetime(2026, 1, 1, 9, tzinfo=UTC)
    known = [begin + DAY * number for number in range(30)]
    assert daily.last_times(begin, known[-1], most) == known[-most:]
    assert daily.last_times(begin, begin, most) == [begin]


# What is refused.


@pytest.mark.parametrize(
    ("expression", "key"),
    [
        *(("* * * * * *", "cron-seconds"), ("0 0 8 * * 1", "cron-seconds")),
        *(
            ("", "cron-fields"),
            ("* * * *", "cron-fields"),
            ("* * * * * * *", "cron-fields"),
            ("@reboot", "cron-fields"),
        ),
        *(("61 * * * *", "cron-field"), ("* 24 * * *", "cron-field"), ("* * 0 * *", "cron-field")),
        *(("* * * 13 *", "cron-field"), ("* * * * 8", "cron-field"), ("*/0 * * * *", "cron-field")),
        *(("a * * * *", "cron-field"), ("5-1 * * * *", "cron-field"), ("٥ * * * *", "cron-field")),
        *(("0 0 31 2 *", "cron-never"), ("0 0 30 2 *", "cron-never"), ("0 0 31 4,6 *", "cron-never")),
        *(("1," * 5000 + "1 * * * *", "cron-fields"), ("9" * 150 + " * * * *", "cron-field")),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_a_bad_expression_is_refused_with_what_is_wrong(expression: str, key: str) -> None:
    with pytest.raises(Refused) as found:
        cron(expression, "Europe/Kyiv", NOW)
    assert found.value.key == key
    for language in LANGUAGES:
        assert str(found.value.values["text"]) in tell(language, found.value)


@pytest.mark.parametrize(
    ("number", "field"), list(enumerate(("minute", "hour", "day-of-month", "month", "day-of-week")))
)
def test_the_bad_field_is_named(number: int, field: str) -> None:
    fields = ["*"] * 5
    fields[number] = "99"
    with pytest.raises(Refused) as found:
        cron(" ".join(fields), "UTC", NOW)
    assert (found.value.values["field"], found.value.values["value"]) == (field, "99")
    assert '"99"' in tell("en", found.value)
    assert "«99»" in tell("uk", found.value)


@given(
    st.text(max_size=60)
    | st.lists(st.text("0123456789*/,-#LWMONSUNJA?", min_size=1, max_size=5)).map(" ".join)
)
def test_no_expression_does_anything_but_be_due_or_be_refused(expression: str) -> None:
    try:
        schedule = cron(expression, "Europe/Kyiv", NOW)
    except Refused:
        return
    due = schedule.next_after(NOW)
    assert due is not None
    assert due > NOW


@pytest.mark.parametrize(
    ("span", "key"),
    [
        *(
            (timedelta(), "interval-short"),
            (timedelta(seconds=59), "interval-short"),
            (-HOUR, "interval-short"),
        ),
        *((timedelta(days=367), "interval-long"), (timedelta(days=99_999), "interval-long")),
    ],
)
def test_too_often_and_too_seldom_are_refused(span: timedelta, key: str) -> None:
    with pytest.raises(Refused) as found:
        interval(span, "UTC", NOW)
    assert found.value.key == key


def test_the_past_and_an_unknown_zone_are_refused() -> None:
    with pytest.raises(Refused, match="until-past"):
        once(NOW, "Europe/Kyiv", NOW)
    for moment in (NOW, NOW + HOUR):
        with pytest.raises(Refused, match="timezone-unknown"):
            once(moment, "Mars/Olympus", NOW)
    with pytest.raises(Refused, match="timezone-unknown"):
        interval(HOUR, "Mars/Olympus", NOW)
    with pytest.raises(Refused, match="timezone-unknown"):
        cron("0 8 * * 1", "Mars/Olympus", NOW)
