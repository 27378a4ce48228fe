"""A run is over: what the company's memory keeps of it."""

from collections.abc import Sequence
from datetime import datetime

from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun
from nanoclaw.durable.store import Tx


def remember(tx: Tx, run: PipelineRun, steps: Sequence[StepRun], at: datetime) -> None:
    """In the transaction that ends the run."""
