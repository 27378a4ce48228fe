"""Flow D. Agents and people do the steps of a template one after the other, or at once.

Runs and their steps are rows. Each claim is one look: what has ended is taken up and what is next begins, in
one transaction; the end of a turn or a question makes it due again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from nanoclaw.domain.pipeline_runs import PipelineRunStatus
from nanoclaw.durable import pipeline_runs, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine, Place
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.pipelines import afterwards
from nanoclaw.flows.pipelines.outputs import OutputFiles
from nanoclaw.flows.pipelines.progress import RunProgress, RunState


@dataclass(frozen=True, kw_only=True, slots=True)
class Pipelines:
    """The work of kind "pipeline"; its key is the run."""

    kind = work.PIPELINE
    at_once = 32  # they share commits

    store: Store
    engine: Engine
    progress: RunProgress
    outputs: OutputFiles

    def begin(self, tx: Tx, claim: Claim) -> str:
        return claim.key

    def look_again(self, key: str) -> None:
        """Nothing to do: what ends meanwhile is seen when this runs again."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        look, again = await self.engine.write_and_start(
            work.STEP, lambda place: self.store.write(partial(self._look, claim=claim, place=place))
        )
        if look.run is None or not look.writes_files:
            return again
        await self.outputs.write(look.run, look.steps)  # repeated after a crash, it writes the same
        return await self.store.write(partial(self._end, claim=claim))

    def _look(self, tx: Tx, claim: Claim, place: Place) -> tuple[RunState, datetime | None]:
        look = self.progress.go_on(tx, claim.key, now())
        again = None
        if not look.writes_files:
            if look.again_at:  # as new work, so that what ended meanwhile on another host comes first
                work.due(tx, work.PIPELINE, claim.key, look.again_at)
            again = work.finish(tx, claim)
        place.take(tx)  # the next step begins in the transaction that makes it due
        return look, again

    def _end(self, tx: Tx, claim: Claim) -> datetime | None:
        """Post its last texts to the chat in the transaction that ends it, and so only once."""
        run, at = pipeline_runs.locked(tx, claim.key), now()
        if run and run.status is PipelineRunStatus.RUNNING:
            steps = pipeline_runs.steps(tx, run.id)
            self.progress.run_ends.end(tx, run, PipelineRunStatus.DONE, None, None, at)
            self.outputs.deliver(tx, run, steps, at)
            afterwards.remember(tx, run, steps, at)
        return work.finish(tx, claim)


def heed_clock(tx: Tx, by: timedelta) -> None:
    """The clock was set: let agents keep their remaining time for a step."""
    work.shift(tx, work.PIPELINE, pipeline_runs.shift(tx, by), by)
