"""The message of a run: readable also for many steps, and honest about what fell short."""

from dataclasses import replace
from datetime import timedelta

import pytest

from nanoclaw.domain.ids import ChatId, PersonId
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Gate, Operator, Step, StepType, Template
from nanoclaw.durable.clock import now
from nanoclaw.flows.pipelines.run_text import card, money_between, time_between
from nanoclaw.flows.pipelines.start_card import wanted_start
from nanoclaw.pipelines.estimates import RunEstimate

pytestmark = pytest.mark.capability("D1")

_WORDS = Gate(key="words", operator=Operator.MORE, value=100.0)


def _run(count: int, *, status: PipelineRunStatus = PipelineRunStatus.RUNNING) -> PipelineRun:
    steps = tuple(
        Step(number=number, role=f"role-{number}", type=StepType.SUB_AGENT, line=number, gates=(_WORDS,))
        for number in range(1, count + 1)
    )
    return PipelineRun(
        id="pl_12345abcde",
        template=Template(name="many", title="Many *steps*", steps=steps),
        subject="tea\n" * 400,
        status=status,
        company="demo",
        group="main",
        chat_id=ChatId("c"),
        started_by=PersonId("p"),
        created_at=now(),
        started_at=now() - timedelta(minutes=3),
        estimate={"cost": [250_000, 500_000], "seconds": [300, 900]},
    )


def _steps(run: PipelineRun, done: int) -> list[StepRun]:
    states = [StepState.DONE] * done + [StepState.RUNNING] + [StepState.WAITING] * len(run.template.steps)
    return [
        StepRun(run_id=run.id, number=n, state=states[n - 1]) for n in range(1, len(run.template.steps) + 1)
    ]


def test_of_200_steps_those_around_the_one_under_way_are_shown_and_long_subjects_are_cut() -> None:
    run = _run(200)
    text = card(run, _steps(run, 99), "en", now(), spent=123_456)
    lines = text.splitlines()
    assert len(text) < 2000
    assert r"**Many \*steps\***: tea tea" in lines[0]
    assert "Step 100 of 200" in lines
    assert "- … 91 steps before" in lines
    assert "- … 93 more steps" in lines
    assert r"- ▶️ 100\. role\-100" in lines
    assert lines[-1] == "💰 $0.1235 so far · ⏱ 3 min (estimated: $0.25–0.50, 5–15 min)"
    estimate = RunEstimate(cost=None, seconds=(1, 2), steps=(), author=run.template.estimate)
    assert len(wanted_start(run, estimate, "uk").prompt) < 3000


def test_a_result_that_fell_short_is_shown_with_what_was_wanted_and_a_failure_with_its_reason() -> None:
    run = replace(
        _run(2, status=PipelineRunStatus.FAILED), why={"key": "run-skill-gone", "skill": "x", "step": 2}
    )
    first, second = _steps(run, 1)
    first = replace(first, results={"words": 90}, attempt=2, micros=40_000, faults=({"rule": "length"},))
    text = card(run, [first, replace(second, state=StepState.FAILED)], "en", now(), spent=40_000)
    assert r"- ✅ 1\. role\-1 · words 90 (words\>100) · $0.0400 · attempt 2 · ⚠️ 1 fault" in text.splitlines()
    assert "is no longer there" in text


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (money_between(250_000, 500_000), "$0.25–0.50"),
        (money_between(1_000, 4_000), "$0.0010–0.0040"),
        (money_between(2_000_000, 2_000_000), "$2.00"),
        (time_between("en", 6, 15), "6–15 s"),
        (time_between("uk", 40, 300), "1–5 хв"),
    ],
)
def test_ranges_are_short(said: str, wanted: str) -> None:
    assert said == wanted
