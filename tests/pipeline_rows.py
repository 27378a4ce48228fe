"""Runs of pipelines as rows, made by hand: for what only shows them."""

from datetime import datetime, timedelta
from typing import Any

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Template
from nanoclaw.durable import people, pipeline_runs
from nanoclaw.durable.store import Tx

CENT = 10_000  # micros
ARTICLE = "# Otters\n\nThey *hold hands* while they sleep.\n\n- one\n- two\n"


def add_run(
    tx: Tx, template: Template, subject: str, at: datetime, steps: dict[int, dict[str, Any]], **more: Any
) -> str:
    """Steps that are not named wait. Each takes a minute."""
    person, chat = people.person_named(tx, LOCAL_OWNER), people.chat_at(tx, "web", "main")
    assert person
    assert chat
    run = PipelineRun(
        id=new_id("pl"),
        template=template,
        subject=subject,
        company="demo",
        group="main",
        chat_id=chat.id,
        started_by=person.id,
        created_at=at,
        started_at=at,
        **{"status": PipelineRunStatus.RUNNING, **more},
    )
    rows = [
        StepRun(
            run_id=run.id,
            number=step.number,
            **{"state": StepState.WAITING, **_times(at, step.number, steps), **steps.get(step.number, {})},
        )
        for step in template.steps
    ]
    pipeline_runs.add(tx, run, rows)
    return run.id


def done(text: str, **more: Any) -> dict[str, Any]:
    return {"state": StepState.DONE, "attempt": 1, "texts": {"text": text}, "micros": CENT, **more}


def _times(at: datetime, number: int, steps: dict[int, dict[str, Any]]) -> dict[str, Any]:
    state = steps.get(number, {}).get("state", StepState.WAITING)
    if state in (StepState.WAITING, StepState.SKIPPED):
        return {}
    begun = at + timedelta(minutes=number - 1)
    return {"started_at": begun, "ended_at": begun + timedelta(minutes=1) if state.is_over else None}
