"""The time of a question passes: two reminders, escalation to the next decider, and finally the default.

What remains after a decision is done here too, so that a crash loses nothing: the line in the company's
decisions, which its writer appends, and the answer to the asker, if nobody waits for it any more.
"""

from datetime import datetime, timedelta
from functools import partial

from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.durable import live_sessions, memory_changes, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.human import decision_log
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.conclusions import Conclusions
from nanoclaw.flows.human.reminder_times import next_moment, reminders
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.waits import Waits
from nanoclaw.flows.live.overtime import Overtime

_TAKES_IT = timedelta(seconds=5)  # time for a waiter on this host to take the answer


class Deadlines:
    """The work of kind "question"; its key is the question."""

    kind = work.QUESTION
    at_once = 8

    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        cards: QuestionCards,
        resolution: Resolution,
        waits: Waits,
        overtime: Overtime,
        conclusions: Conclusions,
        not_before: datetime,
    ) -> None:
        """Nothing times out before `not_before`: a press made while no host ran may still be on its way."""
        self._conclusions = conclusions
        self._store = store
        self._engine = engine
        self._cards = cards
        self._resolution = resolution
        self._waits = waits
        self._overtime = overtime
        self._not_before = not_before

    def begin(self, tx: Tx, claim: Claim) -> Question | None:
        return questions.get(tx, claim.key)

    def look_again(self, key: str) -> None:
        """A decision made while a reminder is written is seen when this runs again."""

    async def run(self, job: Question, claim: Claim) -> datetime | None:
        if job.kind is QuestionKind.INTERACTIVE and job.is_open:
            await self._conclusions.check_prefill(job.id)
        return await self._store.write(partial(self._go_on, claim=claim))

    def _go_on(self, tx: Tx, claim: Claim) -> datetime | None:
        question, at = questions.locked(tx, claim.key), now()
        if question is None:
            return work.finish(tx, claim)
        if question.is_open:
            self._pass(tx, question, at)
            left = questions.get(tx, claim.key) or question
            due = max(next_moment(left), self._waits_until(tx, left, at)) if left.is_open else at
            return work.finish(tx, claim, again_at=due)
        later = []
        if question.carried_at is None and question.session_id and question.resolved_at:
            taken_by = question.resolved_at + _TAKES_IT
            if at < taken_by and self._is_awaited(question):
                later.append(taken_by)
            else:
                self._resolution.carry(tx, question, at)
        if question.recorded_at is None:
            memory_changes.ask(tx, decision_log.record_of(question, at))
        return work.finish(tx, claim, again_at=min(later, default=None))

    def _is_awaited(self, question: Question) -> bool:
        """Whether somebody waits for the answer; assumed if the waiter is on another host."""
        on_other_host = question.waiter is not None and question.waiter != self._engine.host
        return on_other_host or self._waits.anyone_on(question.id)

    def _pass(self, tx: Tx, question: Question, at: datetime) -> None:
        """Do what is due now, if anything."""
        if at >= question.deadline_at:
            if at >= self._ends_at(tx, question, at):
                self._resolution.time_out(tx, question, at)
            return
        due = reminders(question.created_at, question.deadline_at)
        passed = sum(moment <= at for moment in due)
        if passed <= question.reminded:
            return
        just_asked = self._cards.escalate(tx, question, at)
        if self._is_quiet(tx, question, at):
            return
        questions.mark(tx, question.id, reminded=passed)
        is_last = passed == len(due) > 1
        self._cards.remind(tx, question, passed, last=is_last, at=at, but_not_in=just_asked)

    def _ends_at(self, tx: Tx, question: Question, at: datetime) -> datetime:
        """A person working on it in a live session gets a little more time, from when they are told."""
        until = self._overtime.until(tx, question) or self._overtime.warn(tx, question, at)
        return max(self._not_before, until or self._not_before)

    def _is_quiet(self, tx: Tx, question: Question, at: datetime) -> bool:
        """Whether nobody may be disturbed now and there is still time to wait."""
        until = self._cards.quiet_until(tx, question, at)
        return until is not None and until < question.deadline_at

    def _waits_until(self, tx: Tx, question: Question, at: datetime) -> datetime:
        if at >= question.deadline_at:
            return max(self._not_before, self._overtime.until(tx, question) or self._not_before)
        if next_moment(question) <= at:  # it was postponed
            return self._cards.quiet_until(tx, question, at) or question.deadline_at
        return at


def heed_clock(tx: Tx, by: timedelta) -> None:
    """The machine's clock was set: let every open question keep its remaining time."""
    work.shift(tx, work.QUESTION, questions.shift(tx, by), by)
    live_sessions.shift(tx, by)
