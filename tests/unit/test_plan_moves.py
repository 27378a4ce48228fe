"""What answers, steps back and rounds make of a plan, whatever comes in which order."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.plans import (
    MOST_ROUNDS,
    Plan,
    PlanOption,
    PlanQuestion,
    PlanSource,
    PlanState,
    Questionnaire,
)
from nanoclaw.flows.plans import moves
from nanoclaw.flows.plans.plan_text import bar, card, cut

_AT = datetime(2026, 11, 17, tzinfo=UTC)
_OPTIONS = (PlanOption(label="Yes", value="y"), PlanOption(label="No", value="n"))


def a_plan() -> Plan:
    return Plan(
        id="n_1",
        company="demo",
        group="main",
        chat_id="c_1",
        thread=None,
        person_id="p_1",
        state=PlanState.GENERATING,
        task="add JWT authentication",
        source=PlanSource.PERSON,
        language="en",
        created_at=_AT,
        updated_at=_AT,
    )


def asked(plan: Plan, count: int) -> Questionnaire:
    return Questionnaire(
        questions=tuple(
            PlanQuestion(
                id=f"q{len(plan.questions) + number}",
                question=f"Question {number}?",
                options=_OPTIONS,
                allow_free_text=False,
                round=plan.round + 1,
            )
            for number in range(1, count + 1)
        ),
        done=not count,
    )


def moved(plan: Plan, step: int) -> Plan:
    """One of the things that can happen in this state, chosen by the number."""
    if plan.state is PlanState.GENERATING:
        return moves.with_round(plan, asked(plan, step % 5))
    if plan.state is PlanState.CONFIRMING:
        return moves.edited(plan, step % len(plan.questions)) if plan.questions else plan
    if step % 4 == 0:
        try:
            return moves.back(plan)
        except Refused:
            assert plan.current == 0
            return plan
    return moves.answered(plan, plan.current, "yn"[step % 2])


@pytest.mark.capability("Q1")
@given(st.lists(st.integers(min_value=0, max_value=100), max_size=60))
def test_whatever_happens_the_plan_holds_together(steps: list[int]) -> None:
    plan = a_plan()
    for step in steps:
        plan = moved(plan, step)
        assert len(plan.answers) == len(plan.questions)
        assert plan.round <= MOST_ROUNDS
        assert [each.round for each in plan.questions] == sorted(each.round for each in plan.questions)
        assert max((each.round for each in plan.questions), default=plan.round) == plan.round
        if plan.state is PlanState.COLLECTING:
            assert plan.asked is plan.questions[plan.current]
            assert None not in plan.answers[: plan.current]
        else:
            assert None not in plan.answers
            assert plan.current == len(plan.questions)
        text, buttons = card(plan)
        assert text
        assert all(len(each.data.encode()) <= 64 and each.label for each in buttons)


def test_the_bar_and_what_is_cut() -> None:
    assert bar(1, 4) == "▓▓░░░░░░░░ 25%"
    assert bar(3, 3) == "▓▓▓▓▓▓▓▓▓▓ 100%"
    assert bar(1, 15) == "░░░░░░░░░░ 7%"
    assert cut("a\nb  c", 20) == "a b c"
    assert cut("x" * 30, 20) == "x" * 19 + "…"
