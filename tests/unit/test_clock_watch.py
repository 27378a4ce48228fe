"""It is noticed when the clock of the machine is set, and nothing else is taken for that."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.durable.clock import ClockWatch

pytestmark = pytest.mark.capability("E5")

SECONDS = st.integers(min_value=-(10**9), max_value=10**9)


class Clocks:
    """The clock on the wall, and one that nobody can set."""

    def __init__(self) -> None:
        self.wall, self.steady = 1_800_000_000.0, 5_000.0
        self.watch = ClockWatch(lambda: self.wall, lambda: self.steady)

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    def sets(self, seconds: float) -> None:
        self.wall += seconds


def test_time_that_passes_is_no_change_however_much() -> None:
    clocks = Clocks()
    for seconds in (0.1, 60, 86400, 400 * 86400):  # the steady clock runs on while the machine sleeps
        clocks.passes(seconds)
        assert clocks.watch.moved() == timedelta()


@given(by=SECONDS.filter(lambda seconds: abs(seconds) >= 3), between=st.integers(0, 10**6))
def test_a_clock_that_is_set_is_told_of_until_that_is_heeded(by: int, between: int) -> None:
    """A database that is busy at that moment must not cost every question its time."""
    clocks = Clocks()
    clocks.passes(between)
    clocks.sets(by)
    for _ in range(2):
        clocks.passes(between)
        assert clocks.watch.moved() == timedelta(seconds=by)
    clocks.watch.heeded(timedelta(seconds=by))
    clocks.passes(between)
    assert clocks.watch.moved() == timedelta()


def test_what_is_set_while_the_last_change_is_heeded_is_told_of_next() -> None:
    clocks = Clocks()
    clocks.sets(3600)
    by = clocks.watch.moved()
    clocks.sets(60)
    clocks.watch.heeded(by)
    assert clocks.watch.moved() == timedelta(seconds=60)


def test_a_clock_that_is_kept_right_in_small_steps_is_told_of_when_they_add_up() -> None:
    """A question loses at most these two seconds of its time."""
    clocks = Clocks()
    moved = timedelta()
    for _ in range(100):
        clocks.sets(0.5)
        clocks.passes(60)
        by = clocks.watch.moved()
        clocks.watch.heeded(by)
        moved += by
    assert timedelta(seconds=48) <= moved <= timedelta(seconds=50)


def test_forth_and_back_between_two_looks_is_nothing() -> None:
    clocks = Clocks()
    clocks.sets(3600)
    clocks.sets(-3600)
    assert clocks.watch.moved() == timedelta()


def test_the_clocks_of_this_machine_agree() -> None:
    watch = ClockWatch()
    assert watch.moved() == timedelta()
