"""Hosts are killed and paused, calls cut and failed, by a plan that can be repeated: nothing is lost or seen twice.

A short run of `just chaos`; what it looks for, and the longer ones: docs/how-to/try-to-break-it.md.
"""

from pathlib import Path

import pytest
from tests.chaos import report
from tests.chaos.plan import Setup
from tests.chaos.run import Result, run

pytestmark = pytest.mark.capability("A1", "A12", "A15", "L3")

CALLS = ("cut-before", "cut-after", "fail-before", "fail-after", "flood")
KILLS = ("kill", "kill-before", "kill-after")


def check(result: Result) -> None:
    """All that was found, with the story of each message that it concerns, is the failure's own text."""
    told = "\n".join(report.lines(result))
    assert result.settled, told
    assert not result.judgement.is_bad, told
    assert result.remembered.asked, told
    assert not result.remembered.is_bad, told
    assert result.judgement.sent == result.judgement.whole + len(result.judgement.told), told


async def test_one_host_that_is_killed_and_calls_that_go_wrong(tmp_path: Path) -> None:
    setup = Setup(seed=3, messages=24, faults=12, people=6, groups=0, only=(*KILLS, *CALLS))
    check(await run(setup, tmp_path))


@pytest.mark.capability("O4")
async def test_two_hosts_of_which_one_sleeps_longer_than_its_lease(tmp_path: Path, postgres_url: str) -> None:
    setup = Setup(
        seed=5,
        messages=20,
        faults=5,
        hosts=2,
        database="postgres",
        people=6,
        groups=0,
        lifetime=1.5,
        longest_pause=1.6,
        only=("pause-at-call", "pause", "pause-at-call", "kill"),
    )
    check(await run(setup, tmp_path, postgres_url=postgres_url))
