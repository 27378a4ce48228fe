"""When people are reminded of a question."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.test_questions import AT, a_question

from nanoclaw.flows.human.reminder_times import next_moment, reminders

pytestmark = pytest.mark.capability("E5")

MINUTE = timedelta(minutes=1)
MOMENTS = st.integers(0, 10**10).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
TIMES = st.timedeltas(min_value=timedelta(milliseconds=1), max_value=timedelta(days=7))


@pytest.mark.parametrize(
    ("minutes", "after"),
    [
        (15, [10, 14]),
        (60, [40, 59]),
        (6, [4, 5]),
        (3, [2]),
        (2, [4 / 3]),
        (1, [2 / 3]),
        (7 * 24 * 60, [6720, 10079]),
    ],
)
def test_people_are_reminded_at_two_thirds_and_a_minute_before_the_end(
    minutes: int, after: list[float]
) -> None:
    found = reminders(AT, AT + minutes * MINUTE)
    assert [(moment - AT) / MINUTE for moment in found] == pytest.approx(after)


@given(asked=MOMENTS, length=TIMES)
def test_reminders_come_in_order_and_within_the_time(asked: datetime, length: timedelta) -> None:
    found = reminders(asked, asked + length)
    assert 1 <= len(found) <= 2
    assert found == sorted(set(found))
    assert all(asked <= moment <= asked + length for moment in found)


@given(length=TIMES)
def test_what_is_next_are_the_reminders_that_were_not_sent_and_then_the_end(length: timedelta) -> None:
    end = AT + length
    found = [next_moment(a_question(deadline_at=end, reminded=sent)) for sent in range(4)]
    due = reminders(AT, end)
    assert found == [*due, *[end] * (4 - len(due))]
