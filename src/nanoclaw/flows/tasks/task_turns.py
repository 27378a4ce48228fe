"""What differs in a turn of a task run: what the agent is told, the check before it, its card."""

from dataclasses import dataclass, replace
from functools import partial
from xml.sax.saxutils import escape

from nanoclaw.context.message_xml import put
from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.locale import Locale, clock_face
from nanoclaw.domain.messages import Message
from nanoclaw.domain.questions import Question
from nanoclaw.domain.tasks import Run, RunReason, Task
from nanoclaw.domain.text import as_written
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import messages, questions, timeline
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.durable.turns import Turn
from nanoclaw.flows.tasks.blockers import Blockers
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.tasks.check import TaskChecks, is_about_check, was_allowed
from nanoclaw.flows.tasks.progress import Progress
from nanoclaw.flows.tasks.run_end import STALE
from nanoclaw.flows.tasks.run_money import RunMoney, is_about_money
from nanoclaw.flows.tasks.run_start import spread
from nanoclaw.flows.tasks.task_pipelines import TaskPipelines
from nanoclaw.flows.turns.kind import TurnKind
from nanoclaw.texts import say, tell


@dataclass(frozen=True, kw_only=True, slots=True)
class _Before:
    """What the check did in earlier turns of this run."""

    checked: bool = False
    permission: Question | None = None  # it was asked for, and is now decided
    messages: tuple[Message, ...] = ()  # of the run itself


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskTurns(TurnKind):
    """Turns in these lanes that belong to no run pass through unchanged."""

    store: Store
    blockers: Blockers
    cards: TaskCards
    checks: TaskChecks
    pipelines: TaskPipelines
    money: RunMoney

    def notes(self, turn: Turn) -> list[str]:
        """Tells the agent that nobody is present, and that its answer is the result."""
        return [_instructions(turn.task, turn.run)] if turn.task and turn.run else []

    async def check(self, turn: Turn, request: TurnRequest) -> TurnRequest | None:
        """The request with the check's output; None if the agent is not needed. Raises Refused."""
        task, run = turn.task, turn.run
        if task is None or run is None:
            return request
        checked = await self._checked(turn, task, run, request)
        wanted = self.pipelines.template_of(task) if checked else None
        if wanted is None:
            return await self._paid(turn, task, run, checked) if checked else None
        template, subject = wanted
        await self.store.write(lambda tx: self.pipelines.start(tx, task, run, template, subject, now()))
        return None  # the run waits for the pipeline, see `RunEnds`

    async def _paid(self, turn: Turn, task: Task, run: Run, request: TurnRequest) -> TurnRequest | None:
        """The request with the run's ceiling; None while an admin is asked. Raises Refused."""
        allowed = await self.store.write(
            lambda tx: self.money.allow(tx, task, run, turn.session.id, turn.id, now())
        )
        if allowed is None:
            return None
        return replace(request, chain_id=allowed.chain_id) if allowed.chain_id else request

    async def _checked(self, turn: Turn, task: Task, run: Run, request: TurnRequest) -> TurnRequest | None:
        before = await self.store.read(partial(self._look, turn=turn, task=task, run=run))
        if before.checked:
            return request
        if before.permission:
            # The agent knows nothing yet: it is given its task, not the permission question that came before.
            request = replace(request, prompt=put(before.messages, turn.woken_by, notes=self.notes(turn)))
            if is_about_check(before.permission) and not was_allowed(before.permission):
                raise Refused("check-forbidden")
        if not task.check:
            return request
        if not await self.checks.allowed(request, task.check):
            return None  # the run waits for permission, see `RunEnds`
        printed = await self.checks.needed(request, task.check)
        if printed is None:
            turn.note(Event.CHECKED, needed="no")
            return None
        # Stored at once: after a crash, a different verdict must not cut off what the agent has begun.
        await self.store.write(lambda tx: note(tx, turn.id, Event.CHECKED, now(), needed="yes"))
        if not printed:
            return request
        return replace(request, prompt=f"{request.prompt}\n<check_output>{escape(printed)}</check_output>")

    def _look(self, tx: Tx, turn: Turn, task: Task, run: Run) -> "_Before":
        """Whether the check already let the agent begin, or asked for permission. Raises Refused if the agent
        may no longer begin or continue: it may have waited long for its place.
        """
        if why := self.blockers.in_the_way_of(tx, task):
            raise Refused(f"task-{why}", skill=task.skill, group=task.group, id=task.id)
        begun = turn.again or turn.acts_on_answer or run.attempts > 0  # then it began in time
        meant_at = run.run_at + spread(task, run.run_at)
        # A run that is late because no host ran was judged when it was queued.
        if not begun and run.reason is not RunReason.LATE and task.policy.is_stale(meant_at, now()):
            raise Refused(STALE, seconds=round((now() - meant_at).total_seconds()))
        if turn.again and timeline.happened(tx, turn.id, Event.CHECKED):
            return _Before(checked=True)
        brought = [questions.get(tx, message.answers) for message in turn.messages if message.answers]
        permission = next(
            (each for each in brought if each and (is_about_check(each) or is_about_money(each))), None
        )
        if permission is None:
            return _Before(checked=turn.acts_on_answer)
        message = messages.get(tx, run.message_id) if run.message_id else None
        return _Before(permission=permission, messages=(message,) if message else ())

    def held(self, turn: Turn, outage: NanoClawError, language: str) -> str | None:
        """The notice during an outage: nobody wrote a message that could be said to wait."""
        if turn.task is None:
            return None
        title, reason = as_written(turn.task.title), tell(language, outage)
        return say(language, "task-held", id=turn.task.id, title=title, reason=reason)

    def follower(self, turn: Turn) -> Progress | None:
        if turn.task is None or turn.run is None or not turn.task.is_background:
            return None
        return Progress(store=self.store, cards=self.cards, task=turn.task, run=turn.run)


def _instructions(task: Task, run: Run) -> str:
    due = clock_face(run.run_at, Locale(timezone=task.schedule.timezone).zone)
    late = " The host was not running then, so it is late." if run.reason is RunReason.LATE else ""
    where = "sent to the chat" if task.notify else "kept, and not sent to the chat"
    return (
        f"This is task {task.id}, which was due {due}.{late} Nobody is waiting in the chat. Your final answer is its "
        f"result and is {where}; do not send it with a tool as well. If there is nothing to tell, answer with an "
        "empty <internal></internal>."
    )
