"""Whose language and whose clock: the person's, then the group's, then the workspace's."""

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.locale import Locale, clock_face, known_zone

ZONES = ("UTC", "Europe/Kyiv", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "America/St_Johns")


def test_the_first_who_knows_decides() -> None:
    person = Locale(language="uk")
    group = Locale(language="en", timezone="Europe/Kyiv")
    workspace = Locale(language="en", timezone="America/New_York")
    assert person.or_else(group).or_else(workspace) == Locale(language="uk", timezone="Europe/Kyiv")
    assert Locale().or_else(workspace) == workspace
    assert workspace.or_else(person) == workspace


maybe_locale = st.builds(
    Locale,
    language=st.sampled_from([None, "en", "uk"]),
    timezone=st.sampled_from([None, *ZONES]),
)


@given(maybe_locale, maybe_locale, maybe_locale)
def test_it_does_not_matter_which_two_are_asked_first(one: Locale, two: Locale, three: Locale) -> None:
    assert one.or_else(two).or_else(three) == one.or_else(two.or_else(three))


def test_when_nobody_knows_it_is_english_and_utc() -> None:
    assert Locale().speaks == "en"
    assert Locale().zone.key == "UTC"
    assert Locale(language="uk", timezone="Asia/Kolkata").speaks == "uk"
    assert Locale(language="uk", timezone="Asia/Kolkata").zone.key == "Asia/Kolkata"


@pytest.mark.capability("T1")
@pytest.mark.parametrize(
    ("moment", "zone", "shown"),
    [
        ("2024-01-01T13:30", "UTC", "Jan 1, 2024, 1:30 PM"),
        ("2024-01-01T13:30", "Europe/Kyiv", "Jan 1, 2024, 3:30 PM"),
        ("2024-01-01T13:30", "America/New_York", "Jan 1, 2024, 8:30 AM"),
        ("2024-01-01T13:30", "Asia/Kolkata", "Jan 1, 2024, 7:00 PM"),
        ("2024-01-01T13:30", "Pacific/Auckland", "Jan 2, 2024, 2:30 AM"),
        ("2024-01-01T03:00", "America/New_York", "Dec 31, 2023, 10:00 PM"),
        ("2024-02-29T00:00", "UTC", "Feb 29, 2024, 12:00 AM"),
        ("2024-02-29T00:59", "UTC", "Feb 29, 2024, 12:59 AM"),
        ("2024-02-29T12:00", "UTC", "Feb 29, 2024, 12:00 PM"),
        ("2024-02-29T12:05", "UTC", "Feb 29, 2024, 12:05 PM"),
        ("2024-02-29T23:59", "UTC", "Feb 29, 2024, 11:59 PM"),
        # The clocks go forward: there is no half past three.
        ("2024-03-31T00:59", "Europe/Kyiv", "Mar 31, 2024, 2:59 AM"),
        ("2024-03-31T01:00", "Europe/Kyiv", "Mar 31, 2024, 4:00 AM"),
        # And back: half past three comes twice.
        ("2024-10-27T00:30", "Europe/Kyiv", "Oct 27, 2024, 3:30 AM"),
        ("2024-10-27T01:30", "Europe/Kyiv", "Oct 27, 2024, 3:30 AM"),
        ("2024-10-27T02:00", "Europe/Kyiv", "Oct 27, 2024, 4:00 AM"),
        ("2024-11-03T05:59", "America/New_York", "Nov 3, 2024, 1:59 AM"),
        ("2024-11-03T06:00", "America/New_York", "Nov 3, 2024, 1:00 AM"),
    ],
)
def test_a_time_is_shown_on_the_clock_of_the_zone(moment: str, zone: str, shown: str) -> None:
    assert clock_face(datetime.fromisoformat(moment + "+00:00"), ZoneInfo(zone)) == shown


@pytest.mark.capability("T1")
@given(
    st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - bounds
    st.sampled_from(ZONES).map(ZoneInfo),
)
def test_the_clock_face_reads_back_as_the_wall_clock(moment: datetime, zone: ZoneInfo) -> None:
    face = clock_face(moment, zone)
    wall = moment.astimezone(zone).replace(tzinfo=None, second=0, microsecond=0)
    assert datetime.strptime(face, "%b %d, %Y, %I:%M %p") == wall  # noqa: DTZ007 - a wall clock has no zone
    assert ", 0" not in face
    assert " 0" not in face


def test_the_same_moment_is_the_same_face_from_whatever_zone_it_came() -> None:
    moment = datetime(2024, 7, 1, 9, 5, tzinfo=ZoneInfo("Asia/Kolkata"))
    faces = [clock_face(moment.astimezone(ZoneInfo(zone)), ZoneInfo("Europe/Kyiv")) for zone in ZONES]
    assert all(one == other for one, other in pairwise(faces))
    assert faces[0] == "Jul 1, 2024, 6:35 AM"


@pytest.mark.parametrize("name", [*ZONES, "Europe/Kiev", "Etc/GMT+5", "America/Argentina/Ushuaia"])
def test_a_zone_is_known_and_can_be_used(name: str) -> None:
    assert known_zone(name)
    assert Locale(timezone=name).zone.key == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "/",
        "../../etc/passwd",
        "/etc/passwd",
        "Europe/../../../../etc/passwd",
        "Europe/../Europe/Kyiv",
        "Europe",
        "Europe/",
        "EST",
        "Kyiv/" * 3000,
        "x" * 100_000,
        "Europe/Kyiv\0",
        "\0",
        "zone.tab",
        "Mars/Olympus",
        "europe/kyiv ",
        "Київ/Україна",
        "\ud800/x",
        "Europe/Kyiv\n",
        "Europe/Kyiv; ls",
        "UTC+2",
    ],
    ids=lambda name: ascii(name[:30]),
)
def test_a_bad_zone_is_never_a_zone(name: str) -> None:
    assert known_zone(name) is False


@given(st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from("./\\\0~ "))))
def test_asking_about_a_zone_never_raises(name: str) -> None:
    assert known_zone(name) in (True, False)
