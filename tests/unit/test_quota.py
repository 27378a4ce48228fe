"""How much an agent may send: in a minute, and in a turn."""

import pytest

from nanoclaw.flows.sending.quota import IN_A_MINUTE, IN_A_TURN, Quota

pytestmark = pytest.mark.capability("A17")


def test_so_many_in_a_minute_and_then_again() -> None:
    at = [0.0]
    quota = Quota(clock=lambda: at[0])
    assert [quota.take("s", "t") for _ in range(IN_A_MINUTE)] == [None] * IN_A_MINUTE
    assert "within a minute" in (quota.take("s", "t") or "")
    assert quota.take("another", "t") is None
    at[0] = 61
    assert quota.take("s", "t") is None


def test_so_many_in_a_turn_and_the_next_turn_begins_anew() -> None:
    at = [0.0]
    quota = Quota(clock=lambda: at[0])
    for _ in range(IN_A_TURN):
        at[0] += 10
        assert quota.take("s", "t") is None
    at[0] += 10
    assert "in this turn" in (quota.take("s", "t") or "")
    assert quota.take("s", "next") is None


def test_what_goes_to_several_counts_for_each() -> None:
    quota = Quota()
    assert quota.take("s", "t", IN_A_MINUTE + 5) is None
    assert quota.take("s", "t") is not None


def test_what_is_remembered_is_bounded() -> None:
    quota = Quota()
    for number in range(3000):
        quota.take(f"s{number}", "t")
    assert len(quota._sessions) == 1000
