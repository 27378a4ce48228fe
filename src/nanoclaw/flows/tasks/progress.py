"""Shows in its one message what a background task is doing."""

from nanoclaw.domain.tasks import Run, Task
from nanoclaw.durable import task_runs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.turns.progress_message import ProgressMessage


class Progress(ProgressMessage):
    def __init__(self, *, store: Store, cards: TaskCards, task: Task, run: Run) -> None:
        super().__init__(store)
        self._cards = cards
        self._task = task
        self._run = run

    def _write(self, tx: Tx) -> None:
        task_runs.mark(tx, self._run.id, doing=self._doing or None)
        self._cards.progress(tx, self._task, self._run, self._doing, now())
