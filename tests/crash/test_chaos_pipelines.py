"""Hosts are killed while pipelines run: each run ends, each step is done once, each question is asked once.

A short run of `just chaos pipelines`; more: docs/how-to/try-to-break-it.md.
"""

from pathlib import Path

import pytest
from tests.chaos.pipelines import Trial, run

pytestmark = pytest.mark.capability("D4")


async def test_runs_of_two_hosts_that_are_killed_end_with_each_step_done_once(
    tmp_path: Path, postgres_url: str
) -> None:
    trial = Trial(seed=2, runs=3, kills=3, hosts=2, database="postgres", lifetime=1.5, longest_answer=0.4)
    outcome = await run(trial, tmp_path, postgres_url=postgres_url)
    assert not outcome.faults, outcome.figures
    assert outcome.kills == trial.kills
