"""Hosts die or stand still, and folders vanish, while sessions go elsewhere and come back: each result counts once.

A short run of `just chaos transfers`; more: docs/how-to/try-to-break-it.md.
"""

from pathlib import Path

import pytest
from tests.chaos.pipelines import Trial
from tests.chaos.transfers import run

pytestmark = pytest.mark.capability("B1", "B3", "B4", "L3")


async def test_two_hosts_without_a_folder_in_common_bring_each_result_back_once(
    tmp_path: Path, postgres_url: str
) -> None:
    trial = Trial(seed=3, runs=3, kills=6, hosts=2, database="postgres", lifetime=1.5, longest_rest=0.4)
    outcome = await run(trial, tmp_path, postgres_url=postgres_url)
    assert not outcome.faults, vars(outcome)
    assert (outcome.lost, outcome.doubled, outcome.unseen) == (0, 0, 0)
    assert outcome.troubles.total(), vars(outcome)
