"""Hosts with one git remote are killed while they sync, and the remote vanishes: no fact and no commit is lost.

A short run of `just chaos sync`; more: docs/how-to/try-to-break-it.md.
"""

from pathlib import Path

import pytest
from tests.chaos.sync import Trial, run

pytestmark = pytest.mark.capability("B6", "L3")


async def test_hosts_that_are_killed_while_they_sync_lose_nothing(tmp_path: Path) -> None:
    outcome = await run(Trial(seed=3, rounds=5, longest_rest=0.3), tmp_path)
    assert not outcome.faults, vars(outcome)
    assert (outcome.lost_facts, outcome.lost_commits) == (0, 0)
    assert outcome.troubles["kill"]
