"""`just chaos sync`: hosts with one git remote are killed at any moment, teammates push, and the remote vanishes.

Nobody may lose a fact or a commit, nothing may be pushed with force, and all must end with the same commit.
"""

import asyncio
import random
import subprocess
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.command import Count, start
from tests.chaos.hosts import ChaosHost
from tests.chaos.ledger import Ledger
from tests.git_scene import FACTS, append, fact, git, ids

from nanoclaw.host import workspace_origin
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.testing import made_workspace

_PATIENCE = 90.0  # seconds until all have the same, after the last trouble
_LOOK_EVERY = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    seed: int = 1
    rounds: int = 40
    hosts: int = 2
    longest_rest: float = 1.0  # seconds between two troubles


@dataclass(kw_only=True)
class Outcome:
    seconds: float = 0
    troubles: Counter[str] = field(default_factory=Counter)
    facts: int = 0
    commits: int = 0
    lost_facts: int = 0
    lost_commits: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The remote, the workspaces of the hosts, and a teammate's clone."""

    remote: Path
    homes: list[Path]
    mate: Path

    def mate_writes(self, number: int) -> None:
        """As a person does it: commit, and pull and push until nobody else was faster."""
        append(self.mate, fact(number, f"Fact {number} of a teammate"))
        git(self.mate, "commit", "--quiet", "--all", "--message", f"fact {number}")
        self.mate_pushes()

    def mate_pushes(self) -> bool:
        for words in (
            ("pull", "--quiet", "--no-rebase", "origin", "main"),
            ("push", "--quiet", "origin", "main"),
        ):
            done = subprocess.run(
                ["git", "-c", "user.name=Mate", "-c", "user.email=mate@example.com", *words],
                cwd=self.mate,
                capture_output=True,
                check=False,
            )
            if done.returncode:
                return False
        return True

    def is_settled(self) -> bool:
        places = (self.remote, self.mate, *self.homes)
        heads = {git(place, "rev-parse", "main") for place in places}
        return len(heads) == 1 and not any(git(home, "status", "--short", "--", FACTS) for home in self.homes)


async def run(trial: Trial, folder: Path) -> Outcome:
    begun, outcome = time.monotonic(), Outcome()
    dice = random.Random(trial.seed)  # noqa: S311 - not a secret
    sides = _prepared(trial, folder)
    async with AsyncExitStack() as stack:
        hosts = [_host(home) for home in sides.homes]
        for host in hosts:
            host.begin()
            stack.push_async_callback(host.stop_for_good)
        async with asyncio.timeout(120):
            for host in hosts:
                await host.up.wait()
        for number in range(2, trial.rounds + 2):
            trouble = dice.choice(("kill", "kill", "vanish", "mate", "none"))
            outcome.troubles[trouble] += 1
            home = dice.choice(sides.homes)
            with MemoryFiles(home).locked("demo"):  # as the host's own writer
                append(home, fact(1000 + number, f"Fact {number} of a host"))
            outcome.facts += 1
            if trouble == "mate":
                outcome.facts += 1
                await asyncio.to_thread(sides.mate_writes, 2000 + number)
            elif trouble == "kill":
                await asyncio.sleep(dice.uniform(0, 0.4))
                await dice.choice(hosts).strike_and_wait(dice.uniform(0, 0.3))
            elif trouble == "vanish":
                away = sides.remote.with_name("away.git")
                sides.remote.rename(away)
                await asyncio.sleep(dice.uniform(0, 0.5))
                away.rename(sides.remote)
            await asyncio.sleep(dice.uniform(0, trial.longest_rest))
        for host in hosts:  # a start tries at once
            await host.strike_and_wait()
        await _settle(sides, outcome)
    _judge(sides, trial, outcome)
    outcome.seconds = round(time.monotonic() - begun, 1)
    return outcome


def _prepared(trial: Trial, folder: Path) -> Sides:
    first = made_workspace(folder / "host1")
    append(first, fact(1, "Refunds take five days"))
    git(first, "add", "--all")
    git(first, "commit", "--quiet", "--allow-empty", "--message", "first")
    remote, mate = folder / "remote.git", folder / "mate"
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    git(remote, "config", "core.logAllRefUpdates", "always")
    git(first, "remote", "add", "origin", str(remote))
    git(first, "push", "--quiet", "origin", "main")
    homes = [first, *(folder / f"host{each}" for each in range(2, trial.hosts + 1))]
    for place in (mate, *homes[1:]):
        git(folder, "clone", "--quiet", str(remote), str(place))
    for home in homes[1:]:
        workspace_origin.mark(home)  # whoever cloned it has agreed to its remote
    return Sides(remote=remote, homes=homes, mate=mate)


def _host(home: Path) -> ChaosHost:
    settings = {"MEMORY_PUSH": "true", "MEMORY_SYNC_MINUTES": "0.01", "MEMORY_COMMIT_SECONDS": "0"}
    return ChaosHost(home.name, home, Ledger(), None, **settings)


async def _settle(sides: Sides, outcome: Outcome) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        await asyncio.to_thread(sides.mate_pushes)
        if await asyncio.to_thread(sides.is_settled):
            return
        await asyncio.sleep(_LOOK_EVERY)
    outcome.faults.append("they do not come to the same commit")


def _judge(sides: Sides, trial: Trial, outcome: Outcome) -> None:
    for place in (sides.mate, *sides.homes):
        found = Counter(ids(place))
        outcome.lost_facts += outcome.facts + 1 - len(found)
        outcome.faults += [
            f"{place.name} has {each} {times} times" for each, times in found.items() if times > 1
        ]
        git(place, "fsck", "--strict")
    final = set(git(sides.remote, "rev-list", "main").split())
    outcome.commits = len(final)
    for place in (sides.remote, sides.mate, *sides.homes):
        had = git(place, "log", "--walk-reflogs", "--format=%H", "main").split()
        outcome.lost_commits += len(set(had) - final)
        if place == sides.remote:
            steps = zip(had[1:], had, strict=False)  # the newest first
            forced = [new for old, new in steps if git(place, "merge-base", old, new) != old]
            outcome.faults += [f"{each[:12]} was pushed with force" for each in forced]
    if outcome.lost_facts or outcome.lost_commits:
        outcome.faults.append("something was lost")


def main(words: Sequence[str]) -> int:
    def trial(given: Namespace, folder: Path) -> Awaitable[Outcome]:
        return run(Trial(seed=given.seed, rounds=given.rounds, hosts=given.hosts), folder)

    return start("sync", __doc__, words, trial, {"rounds": Count(usual=40), "hosts": Count(usual=2)})
