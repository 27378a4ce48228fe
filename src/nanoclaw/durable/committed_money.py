"""What the work that a person has started may still cost, beyond what is paid or reserved for it."""

import sqlalchemy as sa

from nanoclaw.domain.batches import BatchStatus
from nanoclaw.domain.handoffs import HandoffState
from nanoclaw.domain.ids import PersonId
from nanoclaw.domain.pipeline_runs import PipelineRunStatus
from nanoclaw.domain.tasks import RunStatus
from nanoclaw.durable.batch_tables import batches
from nanoclaw.durable.pipeline_tables import chains, handoffs, pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs, scheduled_tasks, task_run_logs

_SPENT = sa.func.coalesce(sa.func.sum(costs.c.micros), 0)
_HANDED_OVER = (HandoffState.WAITING.value, HandoffState.RUNNING.value)
_OPEN_RUNS = tuple(status.value for status in RunStatus if status.is_open)
_UNDER_WAY = (BatchStatus.PREPARING.value, BatchStatus.WAITING.value, BatchStatus.RUNNING.value)


def of_person(tx: Tx, person: PersonId, company: str) -> int:
    """In micros, without what only waits for a yes."""
    return _of_batches(tx, person, company) + _of_chains(tx, person, company)


def _of_batches(tx: Tx, person: PersonId, company: str) -> int:
    """Until its results are in, a batch counts with all of its estimate."""
    rows = tx.execute(
        sa.select(batches.c.id, batches.c.estimate).where(
            batches.c.started_by == person,
            batches.c.company == company,
            batches.c.status.in_(_UNDER_WAY),
        )
    ).all()
    spent = [tx.execute(sa.select(_SPENT).where(costs.c.batch_id == row.id)).scalar_one() for row in rows]
    most = [int((row.estimate or {}).get("most", 0)) for row in rows]
    return sum(max(0, each - int(paid)) for each, paid in zip(most, spent, strict=True))


def _of_chains(tx: Tx, person: PersonId, company: str) -> int:
    """Runs of pipelines, chains of handoffs and runs of tasks count with their ceiling until they end."""
    begun = sa.or_(
        chains.c.id.in_(
            sa.select(pipeline_runs.c.id).where(
                pipeline_runs.c.started_by == person,
                pipeline_runs.c.status == PipelineRunStatus.RUNNING.value,
            )
        ),
        chains.c.id.in_(
            sa.select(handoffs.c.chain_id).where(
                handoffs.c.person_id == person, handoffs.c.state.in_(_HANDED_OVER)
            )
        ),
        chains.c.id.in_(
            sa.select(task_run_logs.c.id)
            .join(scheduled_tasks, scheduled_tasks.c.id == task_run_logs.c.task_id)
            .where(scheduled_tasks.c.owner == person, task_run_logs.c.status.in_(_OPEN_RUNS))
        ),
    )
    rows = tx.execute(
        sa.select(chains.c.id, chains.c.budget_micros).where(chains.c.company == company, begun)
    ).all()
    spent = [tx.execute(sa.select(_SPENT).where(costs.c.chain_id == row.id)).scalar_one() for row in rows]
    return sum(max(0, int(row.budget_micros or 0) - int(paid)) for row, paid in zip(rows, spent, strict=True))
