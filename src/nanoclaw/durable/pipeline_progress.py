"""How far runs of pipelines are, without the texts of their steps: for lists."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.pipeline_runs import StepState
from nanoclaw.durable.pipeline_tables import pipeline_steps
from nanoclaw.durable.store import Tx

_STEPS = pipeline_steps.c


@dataclass(frozen=True, kw_only=True, slots=True)
class StepProgress:
    number: int
    state: StepState
    micros: int
    question_id: str | None
    started_at: datetime | None


def of_runs(tx: Tx, run_ids: Iterable[str]) -> dict[str, list[StepProgress]]:
    """Steps by run, in order."""
    rows = tx.execute(
        sa.select(
            _STEPS.run_id, _STEPS.number, _STEPS.state, _STEPS.micros, _STEPS.question_id, _STEPS.started_at
        )
        .where(_STEPS.run_id.in_(list(run_ids)))
        .order_by(_STEPS.run_id, _STEPS.number)
    )
    found: dict[str, list[StepProgress]] = {}
    for row in rows:
        step = StepProgress(
            number=row.number,
            state=StepState(row.state),
            micros=row.micros,
            question_id=row.question_id,
            started_at=row.started_at,
        )
        found.setdefault(row.run_id, []).append(step)
    return found
