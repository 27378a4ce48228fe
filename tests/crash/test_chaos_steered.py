"""Hosts are killed and paused while people answer plans and work in live sessions: each comes to its end once.

Short runs of `just chaos plans` and `just chaos sessions`; more: docs/how-to/try-to-break-it.md.
"""

from pathlib import Path

import pytest
from tests.chaos import plans, sessions
from tests.chaos.pipelines import Trial

_TRIAL = Trial(seed=3, runs=2, kills=3, hosts=2, database="postgres", lifetime=1.5, longest_answer=0.3)


@pytest.mark.capability("Q2", "O4")
async def test_plans_of_two_hosts_come_to_their_agent_once_with_all_answers(
    tmp_path: Path, postgres_url: str
) -> None:
    outcome = await plans.run(_TRIAL, tmp_path, postgres_url=postgres_url)
    assert not outcome.faults, outcome
    assert outcome.plans == _TRIAL.runs


@pytest.mark.capability("S4", "O4")
async def test_sessions_of_two_hosts_are_held_in_one_room_and_concluded_once(
    tmp_path: Path, postgres_url: str
) -> None:
    outcome = await sessions.run(_TRIAL, tmp_path, postgres_url=postgres_url)
    assert not outcome.faults, outcome
    assert outcome.sessions == _TRIAL.runs
