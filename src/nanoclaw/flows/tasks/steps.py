"""A run continues when a turn it waited for has ended."""

from dataclasses import dataclass
from datetime import datetime

from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.tasks.run_end import RunEnds


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSteps:
    """The work of kind "run-step"; its key is the run."""

    kind = work.RUN_STEP
    at_once = 32  # they share commits

    store: Store
    run_ends: RunEnds

    def begin(self, tx: Tx, claim: Claim) -> str:
        return claim.key

    def look_again(self, key: str) -> None:
        """Whatever ends meanwhile is seen when this runs again."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        def story(tx: Tx) -> datetime | None:
            self.run_ends.go_on(tx, job, now())
            return work.finish(tx, claim)

        return await self.store.write(story)
