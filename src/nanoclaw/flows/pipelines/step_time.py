"""How long an agent may work on a step: waiting for people, for a place, or for an unavailable model does not
count.
"""

from datetime import datetime

from nanoclaw.domain.pipeline_runs import StepRun
from nanoclaw.domain.pipelines import Step
from nanoclaw.durable import questions, work
from nanoclaw.durable.store import Tx


def is_over_at(tx: Tx, step: Step, done: StepRun, at: datetime) -> datetime | None:
    """When its time ends, as far as is known now; None if it has no limit."""
    if done.due_by is None or done.due_by > at or done.session_id is None:
        return done.due_by
    waits_for_place = work.due_at(tx, work.STEP, done.session_id) is not None
    if waits_for_place or questions.open_of(tx, done.session_id):
        return at + step.timeout
    began = done.due_by - step.timeout
    waited = questions.waited(tx, done.session_id, began, at)
    return began + step.timeout + waited
