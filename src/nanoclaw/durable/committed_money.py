"""What the batches and runs that a person has started may still cost, beyond what is paid or reserved for them."""

import sqlalchemy as sa

from nanoclaw.domain.batches import BatchStatus
from nanoclaw.domain.ids import PersonId
from nanoclaw.domain.pipeline_runs import PipelineRunStatus
from nanoclaw.durable.batch_tables import batches
from nanoclaw.durable.pipeline_tables import pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs

_SPENT = sa.func.coalesce(sa.func.sum(costs.c.micros), 0)
_UNDER_WAY = (BatchStatus.PREPARING.value, BatchStatus.WAITING.value, BatchStatus.RUNNING.value)


def of_person(tx: Tx, person: PersonId, company: str) -> int:
    """In micros, without what only waits for a yes."""
    return _of_batches(tx, person, company) + _of_runs(tx, person, company)


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


def _of_runs(tx: Tx, person: PersonId, company: str) -> int:
    rows = tx.execute(
        sa.select(pipeline_runs.c.id, pipeline_runs.c.estimate).where(
            pipeline_runs.c.started_by == person,
            pipeline_runs.c.company == company,
            pipeline_runs.c.status == PipelineRunStatus.RUNNING.value,
        )
    ).all()
    spent = [tx.execute(sa.select(_SPENT).where(costs.c.chain_id == row.id)).scalar_one() for row in rows]
    most = [int(((row.estimate or {}).get("cost") or (0, 0))[1]) for row in rows]
    return sum(max(0, each - int(paid)) for each, paid in zip(most, spent, strict=True))
