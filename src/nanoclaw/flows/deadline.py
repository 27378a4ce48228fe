"""The time of a question passes: two reminders, the next who may decide, and in the end the default.

What is left of it after a decision is done here too, so that a crash in between loses nothing: the line in the
company's decisions, and the answer to whoever asked, if the one who waited for it is gone.
"""

import asyncio
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import structlog

from nanoclaw.domain.questions import Question
from nanoclaw.durable import questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.human import decision_log
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.reminder_times import next_moment, reminders
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.waits import Waits

log = structlog.get_logger("deadline")

_TAKES_IT = timedelta(seconds=5)  # in which one who waits here takes the answer
_RECORD_AGAIN = timedelta(seconds=30)


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
        home: Path,
        not_before: datetime,
    ) -> None:
        """Before `not_before` nothing times out: a press that was made while no host ran is still on its way."""
        self._store = store
        self._engine = engine
        self._cards = cards
        self._resolution = resolution
        self._waits = waits
        self._home = home
        self._not_before = not_before

    def begin(self, tx: Tx, claim: Claim) -> Question | None:
        return questions.get(tx, claim.key)

    def look_again(self, key: str) -> None:
        """What is decided while a reminder is written is seen when this runs again."""

    async def run(self, job: Question, claim: Claim) -> datetime | None:
        if not job.is_open:
            await self._record(job)
        return await self._store.write(partial(self._go_on, claim=claim, tried=not job.is_open))

    def _go_on(self, tx: Tx, claim: Claim, *, tried: bool) -> datetime | None:
        """`tried`: a decision that is not recorded now could not be, and is tried again later."""
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
            later.append(at + _RECORD_AGAIN if tried else at)
        return work.finish(tx, claim, again_at=min(later, default=None))

    def _is_awaited(self, question: Question) -> bool:
        """On another host one cannot tell."""
        elsewhere = question.waiter is not None and question.waiter != self._engine.host
        return elsewhere or self._waits.anyone_on(question.id)

    def _pass(self, tx: Tx, question: Question, at: datetime) -> None:
        """What is due now, if anything is."""
        if at >= question.deadline_at:
            if at >= self._not_before:
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

    def _is_quiet(self, tx: Tx, question: Question, at: datetime) -> bool:
        """Nobody is to be disturbed now, and there is time until someone is."""
        until = self._cards.quiet_until(tx, question, at)
        return until is not None and until < question.deadline_at

    def _waits_until(self, tx: Tx, question: Question, at: datetime) -> datetime:
        if at >= question.deadline_at:
            return self._not_before
        if next_moment(question) <= at:  # it was put off
            return self._cards.quiet_until(tx, question, at) or question.deadline_at
        return at

    async def _record(self, question: Question) -> None:
        if question.recorded_at is not None:
            return
        try:
            await asyncio.to_thread(decision_log.append, self._home, question)
        except OSError as error:  # a full disk, a folder that is none: tried again
            log.warning("decision not recorded yet", question=question.id, reason=error)
            return
        await self._store.write(lambda tx: questions.mark(tx, question.id, recorded_at=now()))


def heed_clock(tx: Tx, by: timedelta) -> None:
    """The clock of this machine was set: every open question has as much time left as before."""
    work.shift(tx, work.QUESTION, questions.shift(tx, by), by)
