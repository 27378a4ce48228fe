"""What is different when a turn is the run of a task: what the agent is told, the check before it, and its end."""

from dataclasses import dataclass, replace
from typing import Protocol
from xml.sax.saxutils import escape

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale, clock_face
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.domain.turns import TurnRequest, TurnState
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.durable.turns import Turn
from nanoclaw.flows.tasks.checking import Checks
from nanoclaw.flows.tasks.ending import Endings, TurnOver
from nanoclaw.flows.tasks.progress import Progress


class Result(Protocol):
    """How a turn went."""

    @property
    def state(self) -> TurnState: ...
    @property
    def said(self) -> str: ...
    @property
    def error(self) -> NanoClawError | None: ...
    @property
    def skipped(self) -> bool: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Errands:
    """Of a turn that is no run of a task, nothing is different."""

    store: Store
    engine: Engine
    endings: Endings
    checks: Checks

    def notes(self, turn: Turn) -> list[str]:
        """For the agent: nobody is there, and what it answers is the result."""
        return [_told(turn.task, turn.run)] if turn.task and turn.run else []

    async def check(self, turn: Turn, request: TurnRequest) -> TurnRequest | None:
        """The request, with what the check of the task printed; None when the agent is not needed."""
        task = turn.task
        if task is None or task.check is None or turn.again or turn.acts_on_answer:
            return request
        printed = await self.checks.needed(request, task.check)
        turn.note(Event.CHECKED, needed="no" if printed is None else "yes")
        if printed is None:
            return None
        if not printed:
            return request
        return replace(request, prompt=f"{request.prompt}\n<check_output>{escape(printed)}</check_output>")

    def progress_of(self, turn: Turn) -> Progress | None:
        if turn.task is None or turn.run is None or not turn.task.is_background:
            return None
        return Progress(
            store=self.store, engine=self.engine, cards=self.endings.cards, task=turn.task, run=turn.run
        )

    def ended(self, tx: Tx, turn: Turn, result: Result) -> Aftermath:
        over = TurnOver(
            turn_id=turn.id,
            session=turn.session,
            state=result.state,
            said=result.said,
            error=result.error,
            skipped=result.skipped,
        )
        return self.endings.ended(tx, over, now())


def _told(task: Task, run: Run) -> str:
    due = clock_face(run.run_at, Locale(timezone=task.schedule.timezone).zone)
    late = " The host was not running then, so it is late." if run.reason == "late" else ""
    where = "sent to the chat" if task.notify else "kept, and not sent to the chat"
    return (
        f"This is task {task.id}, which was due {due}.{late} Nobody is waiting in the chat. Your final answer is its "
        f"result and is {where}; do not send it with a tool as well. If there is nothing to tell, answer with an "
        "empty <internal></internal>."
    )
