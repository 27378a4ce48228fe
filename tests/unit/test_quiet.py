"""Quiet hours on a person's own clock, also where clocks are changed."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from nanoclaw.domain.errors import Refused
from nanoclaw.texts import LANGUAGES, tell
from nanoclaw.times.quiet import Quiet, read_quiet

KYIV = ZoneInfo("Europe/Kyiv")
NIGHT = Quiet(start=time(22), end=time(7))
MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("22:00-07:00", "22:00-07:00"),
        ("22-7", "22:00-07:00"),
        ("22:00 – 7:00", "22:00-07:00"),
        (" 22:30—06:15 ", "22:30-06:15"),
        ("0-8", "00:00-08:00"),
        ("22-24", "22:00-00:00"),
        ("13:00-14", "13:00-14:00"),
    ],
)
def test_quiet_hours_are_read_and_shown(text: str, shown: str) -> None:
    assert str(read_quiet(text)) == shown
    assert read_quiet(shown) == read_quiet(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "22",
        "22-",
        "-7",
        "22:00",
        "22-22",
        "0-24",
        "25-7",
        "22:60-7",
        "24:30-7",
        "22:0-7",
        "10pm-7am",
        "22-7-9",
    ],
)
def test_what_are_no_quiet_hours_is_refused(text: str) -> None:
    with pytest.raises(Refused) as found:
        read_quiet(text)
    assert found.value.key == "quiet-unclear"
    for language in LANGUAGES:
        assert text in tell(language, found.value)


@pytest.mark.parametrize(
    ("clock", "is_quiet"),
    [("21:59", False), ("22:00", True), ("23:59", True), ("00:00", True), ("06:59", True), ("07:00", False)],
)
def test_the_start_is_quiet_and_the_end_is_not(clock: str, is_quiet: bool) -> None:
    at = datetime.fromisoformat(f"2026-11-18T{clock}").replace(tzinfo=KYIV)
    assert NIGHT.is_now(at, KYIV) is is_quiet
    assert NIGHT.is_now(at.astimezone(UTC), KYIV) is is_quiet


@pytest.mark.parametrize(
    ("at", "end"),
    [
        ("2026-11-18T23:10:05", "2026-11-19T05:00"),
        ("2026-11-19T03:00:00", "2026-11-19T05:00"),
        ("2026-03-28T23:00:00", "2026-03-29T04:00"),  # the night is an hour shorter
        ("2026-10-24T23:00:00", "2026-10-25T05:00"),  # and longer
    ],
)
def test_they_end_when_the_clock_there_says_so(at: str, end: str) -> None:
    moment = datetime.fromisoformat(at).replace(tzinfo=KYIV)
    assert NIGHT.ends_after(moment, KYIV) == datetime.fromisoformat(end).replace(tzinfo=UTC)


def test_what_is_not_quiet_has_no_end_to_wait_for() -> None:
    noon = datetime(2026, 11, 18, 12, 0, 30, tzinfo=KYIV)
    assert NIGHT.ends_after(noon, KYIV) == noon
    assert NIGHT.ends_after(noon, KYIV).tzinfo is UTC


CHANGES = {
    "Europe/Kyiv": ["2026-03-29T01:00", "2026-10-25T01:00"],
    "America/New_York": ["2026-03-08T07:00", "2026-11-01T06:00"],
    "Australia/Lord_Howe": ["2026-04-04T15:00", "2026-10-03T15:30"],  # by half an hour
    "Africa/Cairo": ["2026-04-23T22:00", "2026-10-29T21:00"],  # at midnight
    "Pacific/Apia": ["2011-12-30T10:00"],  # a day was left out
    "Asia/Kathmandu": ["2026-01-01T00:00"],  # never
}
minutes = st.integers(0, 1439)


@st.composite
def places(draw: st.DrawFn) -> tuple[datetime, ZoneInfo]:
    """A moment near to a change of clocks, and where."""
    name = draw(st.sampled_from(sorted(CHANGES)))
    change = datetime.fromisoformat(draw(st.sampled_from(CHANGES[name]))).replace(tzinfo=UTC)
    return change + timedelta(seconds=draw(st.integers(-2 * 86_400, 2 * 86_400))), ZoneInfo(name)


def quiet_of(start: int, end: int) -> Quiet:
    return Quiet(start=time(*divmod(start, 60)), end=time(*divmod(end, 60)))


@given(places(), minutes, minutes)
def test_it_is_quiet_in_each_minute_that_the_clock_shows_on_its_way(
    place: tuple[datetime, ZoneInfo], start: int, end: int
) -> None:
    assume(start != end)
    at, zone = place
    length = (end - start) % 1440
    silent = {(start + step) % 1440 for step in range(length)}
    local = at.astimezone(zone)
    assert quiet_of(start, end).is_now(at, zone) is (local.hour * 60 + local.minute in silent)


FALL = datetime(2026, 10, 25, 0, 45, tzinfo=UTC)  # 3:45 in Kyiv, and a quarter of an hour later it is 3:00


@given(places(), minutes, minutes)
@example((FALL, KYIV), 210, 720)  # the clock goes back to before the start
@example((FALL + timedelta(minutes=20), KYIV), 60, 210)  # the end comes twice
@example((datetime(2026, 3, 29, 0, 30, tzinfo=UTC), KYIV), 60, 210)  # the end never comes
# Nothing between two quiet hours is left.
@example((datetime(2026, 3, 29, 0, 30, tzinfo=UTC), KYIV), 240, 210)
def test_the_end_is_the_first_moment_that_is_not_quiet(
    place: tuple[datetime, ZoneInfo], start: int, end: int
) -> None:
    assume(start != end)
    at, zone = place
    quiet = quiet_of(start, end)
    over = quiet.ends_after(at, zone)
    assert not quiet.is_now(over, zone)
    assert at <= over <= at + timedelta(days=2)
    moment = at
    while moment < over:
        assert quiet.is_now(moment, zone)
        moment += MINUTE
