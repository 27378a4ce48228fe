"""Shows in the one message of a run which tool the agent of a step uses."""

from nanoclaw.domain.pipeline_runs import StepAtWork, StepState
from nanoclaw.durable import pipeline_runs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.turns.progress_message import ProgressMessage


class StepProgressMessage(ProgressMessage):
    def __init__(self, *, store: Store, cards: RunCards, at: StepAtWork) -> None:
        super().__init__(store)
        self._cards = cards
        self._run_id = at.run.id
        self._number = at.step.number

    def _write(self, tx: Tx) -> None:
        """Update the message, unless the run advanced meanwhile: then it is already up to date."""
        run = pipeline_runs.locked(tx, self._run_id)
        steps = pipeline_runs.steps(tx, self._run_id)
        if run and not run.status.is_over and steps[self._number - 1].state is StepState.RUNNING:
            self._cards.show(tx, run, steps, now(), doing={self._number: self._doing})
