"""What is done to the hosts and the database of a trial, at any moment: each is over before the next begins, but pauses
of two hosts may meet."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.chaos.databases import Database
from tests.chaos.hosts import ChaosHost
from tests.chaos.pipelines import Trial

KINDS = {"kill": 50, "pause": 36, "freeze": 6, "down": 4, "clock": 4}
"""How often each is chosen. A database that is frozen or down, and clocks, only where the trial may touch them."""
_FARTHEST = 3 * 3600.0  # seconds by which a clock is set, forward or back


@dataclass(frozen=True, kw_only=True, slots=True)
class Troubles:
    trial: Trial
    hosts: Sequence[ChaosHost]
    database: Database
    dice: random.Random
    without: frozenset[str] = frozenset()

    async def cause(self, is_over: Callable[[], bool]) -> Counter[str]:
        """Until there were enough, or people have all they want: how often each kind."""
        caused: Counter[str] = Counter()
        kinds = {
            kind: weight for kind, weight in KINDS.items() if kind not in self.without and self._can(kind)
        }
        while caused.total() < self.trial.kills and not is_over():
            await asyncio.sleep(self.dice.uniform(0.05, self.trial.longest_rest) / len(self.hosts))
            there = [host for host in self.hosts if host.up.is_set() and not host.is_paused]
            if there:
                [kind] = self.dice.choices(list(kinds), list(kinds.values()))
                caused[kind] += await self._cause(kind, self.dice.choice(there))
        return caused

    def _can(self, kind: str) -> bool:
        cannot = self.database.cannot()
        match kind:
            case "freeze":
                return "database-frozen" not in cannot
            case "down":
                return "database-down" not in cannot
            case "clock":
                return all(host.clock for host in self.hosts)
            case _:
                return True

    async def _cause(self, kind: str, host: ChaosHost) -> bool:
        long = self.dice.uniform(0.5, 2) * self.trial.lifetime  # less than a lease, or more
        match kind:
            case "kill":
                return await host.strike_and_wait(self.dice.uniform(0, 0.3))
            case "pause":
                return host.pause(long)
            case "freeze":
                await self.database.freeze(long)
            case "down":
                await self.database.go_down(long)
            case "clock":
                assert host.clock
                host.clock.move(self.dice.uniform(-_FARTHEST, _FARTHEST))
        return True
