"""How fast people may write: over the limit a message waits for its time, and nobody waits for another's sake."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.admission.rates import Rate, Rates
from nanoclaw.domain.ids import new_id

pytestmark = pytest.mark.capability("A6")

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
CLOSE = timedelta(milliseconds=1)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def waits(rates: Rates, person: str, group: str, at: datetime) -> float:
    """How long a message waits, in seconds."""
    pause = rates.take(new_id("m"), person, [group], at)
    return (pause.until - at).total_seconds() if pause else 0


def test_as_many_as_a_minute_allows_may_come_at_once_and_the_next_wait_a_share_each() -> None:
    rates = Rates(per_person=6, per_group=0)
    assert [waits(rates, "olena", "main", START) for _ in range(9)] == [*[0] * 6, 10, 20, 30]


def test_whoever_writes_at_the_steady_rate_never_waits() -> None:
    rates = Rates(per_person=6, per_group=6)
    assert [waits(rates, "olena", "main", after(10 * number)) for number in range(100)] == [0] * 100


def test_a_place_is_free_again_after_a_share() -> None:
    rates = Rates(per_person=6, per_group=0)
    for _ in range(6):
        assert waits(rates, "olena", "main", START) == 0
    assert waits(rates, "olena", "main", after(10)) == 0
    assert waits(rates, "olena", "main", after(10)) == 10


def test_after_a_quiet_minute_all_of_it_is_free_again() -> None:
    rates = Rates(per_person=6, per_group=0)
    for _ in range(6):
        rates.take(new_id("m"), "olena", ["main"], START)
    assert [waits(rates, "olena", "main", after(60)) for _ in range(7)] == [*[0] * 6, 10]


def test_a_long_silence_saves_up_nothing() -> None:
    rates = Rates(per_person=6, per_group=0)
    rates.take(new_id("m"), "olena", ["main"], START)
    assert [waits(rates, "olena", "main", after(86_400)) for _ in range(7)] == [*[0] * 6, 10]


def test_one_person_makes_no_other_wait() -> None:
    rates = Rates(per_person=3, per_group=10)
    flood = [waits(rates, "flood", "main", START) for _ in range(500)]
    assert flood[:3] == [0, 0, 0]
    assert all(flood[3:])
    assert [waits(rates, "olena", "main", START) for _ in range(3)] == [0, 0, 0]
    assert [waits(rates, "ivan", "main", START) for _ in range(3)] == [0, 0, 0]


def test_what_waits_for_its_person_does_not_count_for_the_group() -> None:
    rates = Rates(per_person=2, per_group=4)
    for _ in range(50):
        rates.take(new_id("m"), "flood", ["main"], START)
    # Two of the flood went through: two places of the group are left.
    assert [waits(rates, name, "main", START) for name in ("a", "b", "c", "d")] == [0, 0, 15, 30]


def test_many_people_together_keep_to_the_limit_of_the_group() -> None:
    rates = Rates(per_person=0, per_group=3)
    assert [waits(rates, f"person-{number}", "main", START) for number in range(5)] == [0, 0, 0, 20, 40]
    assert waits(rates, "someone", "press", START) == 0


def test_a_message_for_several_groups_waits_for_the_slowest() -> None:
    rates = Rates(per_person=0, per_group=2)
    for _ in range(3):
        rates.take(new_id("m"), "a", ["busy"], START)
    pause = rates.take(new_id("m"), "b", ["free", "busy"], START)
    assert pause is not None
    assert pause.until == after(60)
    assert rates.look("b", ["free"], START) == START
    assert rates.take(new_id("m"), "b", [], START) is None


def test_a_person_is_told_once_of_each_stretch_of_waiting() -> None:
    rates = Rates(per_person=2, per_group=0)
    told = [rates.take(new_id("m"), "olena", ["main"], START) for _ in range(6)]
    assert [pause.first for pause in told if pause] == [True, False, False, False]
    still = rates.take(new_id("m"), "olena", ["main"], after(59))  # the last of them waits for two minutes
    assert still is not None
    assert not still.first
    for _ in range(2):
        assert rates.take(new_id("m"), "olena", ["main"], after(600)) is None
    again = rates.take(new_id("m"), "olena", ["main"], after(600))
    assert again is not None
    assert again.first


def test_each_person_is_told() -> None:
    rates = Rates(per_person=0, per_group=1)
    rates.take(new_id("m"), "a", ["main"], START)
    for name in ("b", "c"):
        pause = rates.take(new_id("m"), name, ["main"], START)
        assert pause is not None
        assert pause.first


def test_nothing_waits_without_a_limit() -> None:
    rates = Rates(per_person=0, per_group=0)
    assert all(rates.take(new_id("m"), "olena", ["main"], START) is None for _ in range(1000))
    assert rates.look("olena", ["main"], START) == START


def test_looking_counts_nothing() -> None:
    rates = Rates(per_person=2, per_group=2)
    for _ in range(100):
        assert rates.look("olena", ["main"], START) == START
    assert [waits(rates, "olena", "main", START) for _ in range(3)] == [0, 0, 30]
    assert rates.look("olena", ["main"], START) == after(60)
    assert rates.look("olena", ["main"], START) == after(60)


def test_looking_tells_what_taking_does() -> None:
    rates = Rates(per_person=3, per_group=5)
    for number in range(30):
        at, person = after(number * 3), f"person-{number % 4}"
        foreseen = rates.look(person, ["main"], at)
        pause = rates.take(new_id("m"), person, ["main"], at)
        assert foreseen == (pause.until if pause else at)


def test_those_who_wrote_long_ago_are_forgotten_and_those_who_write_are_not() -> None:
    """Memory is limited, however many people a crowd invents; people who keep writing are not crowded out."""
    rate = Rate(1)
    for key in ("once", "often"):
        rate.count(key, START)
    for number in range(10_001):
        rate.count(f"crowd-{number}", START)
        if number % 5_000 == 0:
            rate.count("often", START)
    assert rate.due_at("once", START) == START
    assert rate.due_at("often", START) > START
    assert len(rate._caught_up) <= 10_001


def test_memory_of_who_was_told_has_an_end_too() -> None:
    rates = Rates(per_person=1, per_group=1)
    for number in range(12_000):
        rates.take(new_id("m"), f"crowd-{number}", ["main"], START)
    assert len(rates._told) <= 10_001


gaps = st.lists(st.integers(0, 40), max_size=60)
limits = st.integers(1, 20)


def moments(given_gaps: list[int]) -> list[datetime]:
    at, found = START, []
    for gap in given_gaps:
        at += timedelta(seconds=gap)
        found.append(at)
    return found


@given(limits, gaps)
def test_over_any_minute_no_more_than_twice_the_limit_go_through_at_once(
    limit: int, between: list[int]
) -> None:
    rates = Rates(per_person=limit, per_group=0)
    through = [at for at in moments(between) if rates.take(new_id("m"), "olena", ["main"], at) is None]
    for first in through:
        assert sum(first <= at < first + MINUTE for at in through) <= 2 * limit


@given(limits, gaps)
def test_over_any_minute_no_more_than_twice_the_limit_are_taken_up(limit: int, between: list[int]) -> None:
    """Those that waited included: what was put off does not come as a flood later."""
    rates = Rates(per_person=limit, per_group=0)
    taken_up = []
    for at in moments(between):
        pause = rates.take(new_id("m"), "olena", ["main"], at)
        taken_up.append(pause.until if pause else at)
    for first in taken_up:
        assert sum(first <= at < first + MINUTE - CLOSE for at in taken_up) <= 2 * limit
    assert taken_up == sorted(taken_up)


@given(limits, st.integers(1, 50))
def test_each_one_over_the_limit_waits_one_more_share(limit: int, more: int) -> None:
    rates = Rates(per_person=limit, per_group=0)
    for _ in range(limit):
        assert rates.take(new_id("m"), "olena", ["main"], START) is None
    for number in range(1, more + 1):
        pause = rates.take(new_id("m"), "olena", ["main"], START)
        assert pause is not None
        assert abs(pause.until - START - MINUTE * number / limit) < CLOSE


@given(limits, gaps, gaps)
def test_others_change_nothing_for_a_person(limit: int, own: list[int], others: list[int]) -> None:
    alone, among = Rates(per_person=limit, per_group=0), Rates(per_person=limit, per_group=0)
    story = sorted([(at, "own") for at in moments(own)] + [(at, "other") for at in moments(others)])
    for at, who in story:
        found = among.take(new_id("m"), who, ["main"], at)
        if who == "own":
            assert found == alone.take(new_id("m"), who, ["main"], at)


@given(limits, gaps)
def test_of_each_stretch_of_waiting_the_first_is_told_and_no_other(limit: int, between: list[int]) -> None:
    rates = Rates(per_person=limit, per_group=0)
    waiting_until = START
    for at in moments(between):
        pause = rates.take(new_id("m"), "olena", ["main"], at)
        if pause:
            assert pause.first == (waiting_until <= at)
            waiting_until = pause.until
