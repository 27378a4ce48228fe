"""Flow E. The one door through which interactive sessions are concluded: page, command line, buttons, HTTP,
harness.

The host checks the result against what was asked for. One that does not fit is asked for again; after the
last attempt the session has failed.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.outcome_forms import form_of
from nanoclaw.domain.outcomes import Misfit, OutcomeType, misfit_of, outcome_of, proposal_in
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import Question, QuestionKind, Status
from nanoclaw.durable import live_sessions, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.human.deciders import may_decide
from nanoclaw.flows.human.decisions import Decisions
from nanoclaw.flows.human.misfit_text import said
from nanoclaw.flows.human.session_ends import MOST_ATTEMPTS, SessionEnds


class ResponseChecks(Protocol):
    """Implemented by `sandbox/outcome_checks.py`."""

    async def misfits(self, schema: Any, response: object) -> list[Misfit]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusions:
    store: Store
    decisions: Decisions
    session_ends: SessionEnds
    checks: ResponseChecks
    said_at_terminal: Callable[[Question], Awaitable[str | None]]

    async def conclude(
        self,
        question_id: str,
        by: Actor,
        *,
        response: object = None,
        status: Status = Status.COMPLETED,
        transcript: str | None = None,
        duration_ms: int | None = None,
        error: str | None = None,
        is_final: bool = False,
    ) -> Question:
        """Conclude a session, found by its id or the end of it. The transcript is kept only if the session
        asked for it. Raises Refused: not theirs, already ended (TooLate), or `outcome-unfit`, after which
        it can be tried again. With `is_final` or on the last attempt it is `outcome-failed` instead, and
        the session has failed.
        """
        if status is Status.PENDING:
            raise Refused("session-not-over")
        question = await self.store.read(lambda tx: self._looked_at(tx, question_id, by, now()))
        why = await self.misfits(question, response) if status is Status.COMPLETED else []
        if transcript is None and (question.config or {}).get("captureTranscript"):
            transcript = await self.said_at_terminal(question)

        def story(tx: Tx) -> tuple[Question, bool]:
            at = now()
            found = self._theirs(tx, question.id, by, at)
            if why:
                failed = self.session_ends.refuse(tx, found, by, at, said(why, "en"), is_final=is_final)
                return questions.get(tx, found.id) or found, failed
            ended = self.session_ends.end(
                tx,
                found,
                by,
                at,
                status=status,
                response=response,
                transcript=transcript,
                duration_ms=duration_ms,
                error=error,
            )
            if not ended:
                raise self.decisions.too_late(questions.get(tx, found.id) or found, by)
            return questions.get(tx, found.id) or found, False

        ended, has_failed = await self.store.write(story)
        if why:
            raise Refused("outcome-failed" if has_failed else "outcome-unfit", why=said(why, by.language))
        return ended

    async def misfits(self, question: Question, response: object) -> list[Misfit]:
        """What is wrong with the response as a result of this session; empty if it fits."""
        outcome = outcome_of(question.config)
        if why := misfit_of(outcome, response):
            return [why]
        if outcome.type is not OutcomeType.STRUCTURED or outcome.json_schema is None:
            return []
        return await self.checks.misfits(outcome.json_schema, response)

    def prefill(self, tx: Tx, question_id: str, text: str, by: Actor, at: datetime) -> None:
        """Use people's words in a live session to fill in the form and the card; they decide nothing."""
        question = questions.locked(tx, question_id)
        if question is not None and question.is_open and question.kind is QuestionKind.INTERACTIVE:
            self.session_ends.prefill(tx, question, text, by, at)

    async def hear_terminal(self, question: Question) -> None:
        """Fill in the form with what its agent proposed at a terminal, unless a person has said something."""
        outcome = outcome_of(question.config)
        if not question.is_open or outcome.type is not OutcomeType.STRUCTURED:
            return
        said_there = await self.said_at_terminal(question) or ""
        proposal, agent = proposal_in(outcome, said_there), question.group

        def is_new(tx: Tx) -> bool:
            filled = live_sessions.get(tx, question.id).prefill or {"by": agent, "value": None}
            return proposal is not None and filled["by"] == agent and filled["value"] != proposal.value

        def story(tx: Tx) -> None:
            found = questions.locked(tx, question.id)
            if found and is_new(tx):
                self.session_ends.proposed(tx, found, said_there, agent, now())

        if await self.store.read(is_new):
            await self.store.write(story)

    async def check_prefill(self, question_id: str) -> None:
        """Check whether what was filled in could be the conclusion, where only the schema can tell."""

        def look(tx: Tx) -> tuple[Question | None, Any]:
            return questions.get(tx, question_id), live_sessions.get(tx, question_id).prefill

        question, filled = await self.store.read(look)
        if question is None or not question.is_open or not filled or filled["fits"] is not None:
            return
        why = await self.misfits(question, filled["value"])
        await self.store.write(lambda tx: self.session_ends.found(tx, question, filled, why, now()))

    def _looked_at(self, tx: Tx, ref: str, by: Actor, at: datetime) -> Question:
        """Check rights first, so that people who may not decide it cost the host nothing."""
        question = self.decisions.find(tx, ref)
        if may_decide(tx, question, by.handle, at) is None:
            raise Refused("question-forbidden")
        return self._still_open(question, by)

    def _theirs(self, tx: Tx, question_id: str, by: Actor, at: datetime) -> Question:
        question, *_ = self.decisions.theirs(tx, question_id, by, at)
        return self._still_open(question, by)

    def _still_open(self, question: Question, by: Actor) -> Question:
        if question.kind is not QuestionKind.INTERACTIVE:
            raise Refused("not-a-session")
        if not question.is_open:
            raise self.decisions.too_late(question, by)
        return question


def wanted_form(question: Question) -> dict[str, Any]:
    """The form that the page and the command line draw for the conclusion."""
    return form_of(outcome_of(question.config)) | {"attempts": MOST_ATTEMPTS}
