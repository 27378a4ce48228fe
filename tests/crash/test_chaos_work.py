"""Hosts are killed and paused while tasks come due, agents hand work over, and batches are written: each once.

Short runs of `just chaos tasks`, `handoffs` and `batches`; more: docs/how-to/try-to-break-it.md.
"""

from pathlib import Path

import pytest
from tests.chaos import batches, handoffs, tasks
from tests.chaos.pipelines import Trial

_TRIAL = Trial(seed=3, runs=4, kills=4, hosts=2, database="postgres", lifetime=1.5, longest_answer=0.3)


@pytest.mark.capability("F1", "F5", "O4")
async def test_tasks_of_two_hosts_run_once_and_give_one_result(tmp_path: Path, postgres_url: str) -> None:
    outcome = await tasks.run(_TRIAL, tmp_path, postgres_url=postgres_url)
    assert not outcome.faults, outcome
    assert outcome.runs["success"] >= _TRIAL.runs


@pytest.mark.capability("C1", "C3", "O4")
async def test_handoffs_of_two_hosts_are_received_once_and_come_back_once(
    tmp_path: Path, postgres_url: str
) -> None:
    outcome = await handoffs.run(_TRIAL, tmp_path, postgres_url=postgres_url)
    assert not outcome.faults, outcome
    assert outcome.states["done"] == _TRIAL.runs + 1  # one of them has two receivers


@pytest.mark.capability("I2", "O4")
async def test_batches_of_two_hosts_are_sent_and_paid_for_once(tmp_path: Path, postgres_url: str) -> None:
    outcome = await batches.run(_TRIAL, tmp_path, items=5, postgres_url=postgres_url)
    assert not outcome.faults, outcome
    assert outcome.statuses == {"ready": _TRIAL.runs}
