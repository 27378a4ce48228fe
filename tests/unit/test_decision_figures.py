"""How fast people answer, and how often nobody does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.questions import Status
from nanoclaw.durable.questions import QuestionOutcome
from nanoclaw.flows.human.statistics import figure, figures_by

pytestmark = pytest.mark.capability("E10")

OUTCOMES = st.lists(
    st.builds(
        QuestionOutcome,
        kind=st.sampled_from(["approval", "choice", "input"]),
        skill=st.sampled_from(["", "copywriter"]),
        status=st.sampled_from([Status.COMPLETED, Status.TIMEOUT]),
        seconds=st.floats(0, 10**6),
    ),
    max_size=20,
)


def ended(seconds: float, status: Status = Status.COMPLETED, kind: str = "approval") -> QuestionOutcome:
    return QuestionOutcome(kind=kind, skill="", status=status, seconds=seconds)


def test_mean_and_median_are_of_those_that_a_person_answered() -> None:
    made = figure("all", [ended(10), ended(20), ended(120), ended(900, Status.TIMEOUT)])
    assert (made.asked, made.answered, made.timed_out) == (4, 3, 1)
    assert (made.mean, made.median, made.timeout_rate) == (50, 20, 0.25)


def test_without_an_answer_there_is_no_time_and_without_a_question_no_rate() -> None:
    none = figure("all", [])
    assert (none.asked, none.mean, none.median, none.timeout_rate) == (0, None, None, 0.0)
    silent = figure("all", [ended(900, Status.TIMEOUT)])
    assert (silent.mean, silent.median, silent.timeout_rate) == (None, None, 1.0)


def test_they_are_told_apart_and_the_most_asked_comes_first() -> None:
    outcomes = [ended(1, kind="input"), ended(2), ended(4), ended(900, Status.TIMEOUT, kind="choice")]
    found = figures_by(outcomes, lambda each: each.kind)
    assert [(each.name, each.asked, each.mean) for each in found] == [
        *(("approval", 2, 3), ("choice", 1, None), ("input", 1, 1))
    ]
    assert figures_by([], lambda each: each.kind) == ()


@given(OUTCOMES)
def test_the_parts_make_up_the_whole(outcomes: list[QuestionOutcome]) -> None:
    whole = figure("all", outcomes)
    for name_of in (lambda each: each.kind, lambda each: each.skill):
        parts = figures_by(outcomes, name_of)
        assert sum(part.asked for part in parts) == whole.asked == whole.answered + whole.timed_out
        assert sum(part.timed_out for part in parts) == whole.timed_out
    assert 0 <= whole.timeout_rate <= 1
