"""The only way a question closes: it is decided, times out, or is taken back; once, by whoever is first.

Everything that follows is in the same transaction: permits, the audit, the cards, and the answer to the
asker. An asker that is waiting right now is told; otherwise the answer wakes the session as a message.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from nanoclaw.domain.ids import ChatId, MessageId, PersonId, SessionId, TurnId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Person, Rights, Role
from nanoclaw.domain.questions import PROGRAM, Question, QuestionKind, Status
from nanoclaw.durable import (
    audit,
    decision_records,
    live_sessions,
    messages,
    people,
    question_cards,
    questions,
    session_queue,
    sessions,
    work,
)
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.flows.human.answer_text import reminded
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.deciders import counted_votes, deciders_of
from nanoclaw.flows.human.permits import permit

HITL, BY_TIMEOUT, BY_CANCEL = "hitl", "timeout", "cancelled"
_MADE_BY = {Status.TIMEOUT: BY_TIMEOUT, Status.CANCELLED: BY_CANCEL}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ending:
    """How a question ended, and by whom."""

    status: Status
    by: Actor
    response: Mapping[str, object] | None = None
    kept: Mapping[str, str | int | None] = field(default_factory=dict)

    def values(self) -> dict[str, object]:
        """The columns of its row. A time-out has no decider."""
        who = (
            {}
            if self.status is Status.TIMEOUT
            else {"decided_by": self.by.handle, "decided_name": self.by.name}
        )
        made_by = _MADE_BY.get(self.status, HITL)
        response = dict(self.response) if self.response is not None else None
        return {**who, **self.kept, "via": self.by.via, "made_by": made_by, "response": response}


class Resolution:
    def __init__(self, cards: QuestionCards, locale: Locale) -> None:
        self._cards = cards
        self._locale = locale

    def decide(
        self,
        tx: Tx,
        question: Question,
        by: Actor,
        at: datetime,
        *,
        chosen: str | None,
        said: str | None = None,
    ) -> bool:
        """Decide as a person. False if someone or something else was first."""
        response = {"chosen": chosen if chosen is not None else said, "user_input": said}
        return self._end(tx, question, at, _Ending(status=Status.COMPLETED, by=by, response=response))

    def time_out(self, tx: Tx, question: Question, at: datetime) -> bool:
        """Take the default. It binds nobody, and is nobody's refusal."""
        response = {"chosen": question.default, "user_input": None}
        return self._end(tx, question, at, _Ending(status=Status.TIMEOUT, by=_NOBODY, response=response))

    def cancel(self, tx: Tx, question: Question, by: Actor, at: datetime) -> bool:
        return self._end(tx, question, at, _Ending(status=Status.CANCELLED, by=by))

    def conclude(
        self,
        tx: Tx,
        question: Question,
        by: Actor,
        at: datetime,
        *,
        status: Status,
        response: object,
        kept: Mapping[str, str | int | None],
        said: str | None = None,
    ) -> bool:
        """End an interactive session."""
        answer = {"chosen": response, "user_input": said} if status is Status.COMPLETED else None
        return self._end(tx, question, at, _Ending(status=status, by=by, response=answer, kept=kept))

    def carry(self, tx: Tx, question: Question, at: datetime) -> None:
        """Let the answer wake the session, unless it already has it."""
        if question.session_id and questions.carry(tx, question.id, at):
            self._wake(tx, question, question.session_id, at)

    def _end(self, tx: Tx, question: Question, at: datetime, ending: _Ending) -> bool:
        status, by = ending.status, ending.by
        if not questions.resolve(tx, question.id, status, at, **ending.values()):
            return False
        ended = questions.get(tx, question.id) or question
        question_cards.await_next(tx, ended.id)
        if ended.kind is QuestionKind.INTERACTIVE and live_sessions.get(tx, ended.id).opened_at:
            work.due(tx, work.LIVE_SESSION, ended.id, at)  # people still working in it are told
        permit(tx, ended, at)
        deciders = deciders_of(tx, ended.group, ended.deciders, at) if ended.votes > 1 else []
        votes = counted_votes(tx, ended, deciders) if deciders else []
        audit.record(
            tx,
            by,
            at,
            f"question-{status}",
            ended.id,
            **({"votes": [f"{vote.name} ({vote.voter}): {vote.option}" for vote in votes]} if votes else {}),
            question=ended.prompt[: decision_records.ASKED],
            chosen=_plain(ended.concluded),
            group=ended.group,
            payload=ended.payload,
            payload_hash=ended.payload_hash,
            answer_hash=decision_records.answer_hash(ended.response),
        )
        if ended.execution_id != PROGRAM:
            told = {"status": status.value, "name": by.name, "chosen": _plain(ended.concluded)}
            if ended.kind is QuestionKind.INTERACTIVE:
                after = timedelta(seconds=round((ended.duration_ms or 0) / 1000))
                note(tx, ended.execution_id, Event.SESSION_ENDED, at, after=str(after), **told)
            else:
                note(tx, ended.execution_id, Event.QUESTION_DECIDED, at, **told)
        self._cards.refresh(tx, ended, at)
        # This work then records it in the company's decisions, and brings it to the session if nobody takes it.
        work.due(tx, work.QUESTION, ended.id, at)
        if not ended.waiter:
            self.carry(tx, ended, at)
        return True

    def _wake(self, tx: Tx, question: Question, session_id: SessionId, at: datetime) -> None:
        session = sessions.get(tx, session_id)
        person = self._person(tx, question)
        own = Locale(language=person.language, timezone=person.timezone)
        locale = own.or_else(self._cards.locale_of(session.group)).or_else(self._locale)
        told = messages.by_host(
            messages.answer_ref(question.id),
            person,
            reminded(question, locale),
            at,
            sender=question.decided_name or messages.HOST,
            thread=session.thread,
        )
        chat_id = ChatId(session.chat_id)
        message = messages.bring_answer(
            tx, MessageId(new_id("m")), question.id, chat_id, PersonId(person.id), told
        )
        if message is None:
            return
        note(
            tx,
            message.id,
            Event.ANSWER_BROUGHT,
            at,
            status=question.status.value,
            name=question.decided_name or "",
        )
        session_queue.join(tx, message.id, session.id)
        work.due(tx, session.lane, session.id, at, hasten=False, priority=session.priority)

    def _person(self, tx: Tx, question: Question) -> Person:
        """The person who decided; if nobody did, the person the agent asked for."""
        decided = people.person_named(tx, question.decided_by) if question.decided_by else None
        asked_for = session_queue.messages_of(tx, TurnId(question.execution_id))
        one = decided or (people.person(tx, asked_for[0].person_id) if asked_for else None)
        return one or people.person_named(tx, LOCAL_OWNER) or people.everyone(tx)[0]


def _plain(concluded: object) -> str:
    """The conclusion as one line of a list."""
    return str(concluded)[: decision_records.TOLD] if concluded else "-"


_NOBODY = Actor(
    handle="timeout", name="", rights=Rights(everywhere=Role.STRANGER), via=BY_TIMEOUT, language="en"
)
