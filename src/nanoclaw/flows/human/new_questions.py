"""Opens a question: checks it against its deciders, stores it, and shows it to them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.questions import PROGRAM, Asker, NewQuestion, Question, Status
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.durable import questions, sessions, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.deciders import Decider, deciders_of, votes_for
from nanoclaw.flows.human.reminder_times import next_moment
from nanoclaw.flows.human.waits import Waits

_MOST_OPEN = 20  # per session: an agent in a loop must not flood people with cards
_MOST_OF_PROGRAMS = 10_000
_STILL_THE_SAME = timedelta(minutes=10)  # for a program that lost the answer and asks again


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewDocument:
    """A file to review, as it was when it was asked about."""

    kept: Attachment
    sha256: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NewQuestions:
    cards: QuestionCards
    waits: Waits

    def open(
        self, tx: Tx, wanted: NewQuestion, asker: Asker, document: ReviewDocument | None, at: datetime
    ) -> Question:
        """Open a question. Asked again under the same id, or by a restarted turn, it is the same one. Raises
        BadToolRequest.
        """
        if asker.then is not None and wanted.effect is None:
            raise ValueError(
                f"A question that {asker.then.kind} waits for must say what an answer puts into effect."
            )
        payload = wanted.payload(document.sha256 if document else None)
        known = questions.find(tx, asker.session_id, asker.asked_id) or self._left_behind(tx, asker, payload)
        if known and known.payload != payload:
            raise BadToolRequest("Another question was asked under this id. Give this one an id of its own.")
        if known and known.is_open:
            questions.mark(tx, known.id, waiter=asker.host)
        if known:
            _check_age(known, asker, at)
            return known
        most = _MOST_OPEN if asker.session_id else _MOST_OF_PROGRAMS
        if questions.count_open(tx, asker.session_id or "") >= most:
            raise BadToolRequest(f"{most} of your questions are open already. Wait for their answers.")
        deciders = deciders_of(tx, asker.group, wanted.deciders, at)
        _check(wanted, deciders)
        votes = max(wanted.votes or 1, votes_for(wanted.risk, deciders)) if wanted.options else 1
        opened = self._write(tx, wanted, asker, document, votes=votes, at=at)
        if asker.execution_id != PROGRAM:
            note(
                tx,
                asker.execution_id,
                Event.QUESTION_ASKED,
                at,
                question=opened.prompt[:200],
                id=opened.id[-SHORT:],
            )
        self._show(tx, opened, deciders, asker, at)
        return opened

    def again(self, tx: Tx, question: Question, at: datetime) -> Question:
        """Ask a timed-out question once more, with as much time as before; the answer wakes the session."""
        session = sessions.get(tx, question.session_id) if question.session_id else None
        asker = Asker(
            session_id=question.session_id,
            execution_id=question.execution_id,
            asked_id=f"again {question.id}",
            group=question.group,
            company=question.company,
            chat_id=session.chat_id if session else None,
            thread=session.thread if session else None,
            chain_id=question.chain_id,
            step=question.step,
        )
        if question.status is not Status.TIMEOUT:
            raise Refused("question-not-timed-out")
        if questions.find(tx, asker.session_id, asker.asked_id):
            raise Refused("question-asked-again")
        before = json.loads(question.payload)
        wanted = NewQuestion(
            kind=question.kind,
            prompt=question.prompt,
            options=question.options,
            timeout=question.deadline_at - question.created_at,
            default=question.default,
            risk=question.risk,
            context=question.context,
            document=before["document"],
            deciders=question.deciders,
            votes=before["votes"],
            skill=question.skill,
            tool=question.tool,
            config=question.config,
            effect=before.get("effect_sha256"),
        )
        document = (
            ReviewDocument(kept=question.document, sha256=before["document_sha256"])
            if question.document
            else None
        )
        opened = self._write(tx, wanted, asker, document, votes=question.votes, at=at, repeats=question.id)
        self._show(tx, opened, deciders_of(tx, opened.group, opened.deciders, at), asker, at)
        return opened

    def _write(
        self,
        tx: Tx,
        wanted: NewQuestion,
        asker: Asker,
        document: ReviewDocument | None,
        *,
        votes: int,
        at: datetime,
        repeats: str | None = None,
    ) -> Question:
        question_id = questions.new_question_id()
        written = questions.open_new(
            tx,
            asker,
            wanted,
            question_id=question_id,
            votes=votes,
            at=at,
            document=document.kept if document else None,
            document_hash=document.sha256 if document else None,
            repeats=repeats,
        )
        question = questions.get(tx, question_id)
        if not written or question is None:  # another host was faster with the same id
            raise BadToolRequest("This was asked at the same moment elsewhere. Ask again under the same id.")
        return question

    def _show(
        self, tx: Tx, question: Question, deciders: Sequence[Decider], asker: Asker, at: datetime
    ) -> None:
        self.cards.ask(
            tx,
            question,
            deciders,
            at,
            chat_id=asker.chat_id,
            thread=asker.thread,
            message_id=asker.message_id,
        )
        work.due(tx, work.QUESTION, question.id, next_moment(question))

    def _left_behind(self, tx: Tx, asker: Asker, payload: str) -> Question | None:
        """The same question of this session, asked by an earlier turn or run, that nobody waits for any more."""
        if asker.session_id is None:
            return None
        left = (each for each in questions.open_of(tx, asker.session_id) if each.payload == payload)
        return next((each for each in left if not self.waits.anyone_on(each.id)), None)


def _check_age(known: Question, asker: Asker, at: datetime) -> None:
    """An old decision must not answer a new question: otherwise reusing an old id would mean asking nobody."""
    ended = known.resolved_at
    is_repeat = known.execution_id == asker.execution_id != PROGRAM
    if ended is not None and not is_repeat and at - ended > _STILL_THE_SAME:
        raise BadToolRequest("A question was decided under this id before. Give this one an id of its own.")


def _check(wanted: NewQuestion, deciders: Sequence[Decider]) -> None:
    voices = len({each.voice for each in deciders})
    if not deciders:
        raise BadToolRequest(
            "Nobody of those whom `deciders` names may decide this. Leave it out, or name others."
        )
    if wanted.votes and wanted.votes > voices:
        raise BadToolRequest(f"`votes` is {wanted.votes}, and {voices} may decide this. Ask for fewer.")
