"""Ends an interactive session with an explicit conclusion. What people say in passing only fills in the form.

Everything here runs in the caller's transaction, which has checked who may decide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.news import EVERY_CHAT, QuestionChanged
from nanoclaw.domain.outcomes import (
    Misfit,
    OutcomeType,
    WantedOutcome,
    as_concluded,
    mark_of,
    misfit_of,
    outcome_of,
    proposal_in,
    read_words,
)
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import CONCLUDE, Option, Question, Status
from nanoclaw.domain.text import storable
from nanoclaw.durable import live_sessions, room_transcripts, work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.answer_text import label
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.misfit_text import as_stored
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.texts import say

MOST_ATTEMPTS = 3  # conclusions that do not fit before the session fails
_MILLISECOND = timedelta(milliseconds=1)
_LONGEST_WORDS = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionEnds:
    cards: QuestionCards
    resolution: Resolution

    def choose(
        self,
        tx: Tx,
        question: Question,
        option: Option | None,
        choice: str | None,
        by: Actor,
        at: datetime,
        said: str | None,
    ) -> str | None:
        """Handle a pressed button, or words in its place. Returns what to tell them; None if it had already ended."""
        if choice is not None and choice.startswith(CONCLUDE):
            filled = live_sessions.get(tx, question.id).prefill or {}
            if not filled.get("fits"):
                raise Refused("session-not-filled")
            if choice != f"{CONCLUDE}{mark_of(filled['value'])}":
                raise Refused("session-filled-anew")  # never with what they have not read
            return self._ended(tx, question, by, at, filled["value"], say(by.language, "session-concluded"))
        if option is None:
            self.prefill(tx, question, said or "", by, at)
            return say(by.language, "session-words-kept")
        response: object = option.id
        if said and outcome_of(question.config).type is OutcomeType.APPROVAL:
            response = {"approved": option.id == question.options[0].id, "notes": said}
        shown = say(by.language, "question-taken", label=label(option, by.language))
        return self._ended(tx, question, by, at, response, shown)

    def prefill(self, tx: Tx, question: Question, text: str, by: Actor, at: datetime) -> None:
        """Keep the words for the form and the card. Structured values are checked later, by the work of the
        question.
        """
        words = storable(text).strip()[:_LONGEST_WORDS]
        self._fill_in(tx, question, words, read_words(outcome_of(question.config), words), by.name, at)

    def overheard(self, tx: Tx, question: Question, text: str, by: Actor, at: datetime) -> None:
        """Fill in the form with what someone says while working in the session, if it sounds like a decision.
        Not for free text: anything said could be meant.
        """
        outcome = outcome_of(question.config)
        is_clear = outcome.type in (OutcomeType.APPROVAL, OutcomeType.SELECTION)
        if question.is_open and is_clear and read_words(outcome, text) is not None:
            self.prefill(tx, question, text, by, at)

    def proposed(self, tx: Tx, question: Question, said: str, agent: str, at: datetime) -> None:
        """The session's agent wrote down what it thinks was decided: fill in the form with that."""
        found = proposal_in(outcome_of(question.config), storable(said)) if question.is_open else None
        filled = live_sessions.get(tx, question.id).prefill or {}
        if found is not None and filled.get("value") != found.value:
            self._fill_in(tx, question, found.words[:_LONGEST_WORDS], found.value, agent, at)

    def found(
        self, tx: Tx, question: Question, filled: Mapping[str, Any], why: Sequence[Misfit], at: datetime
    ) -> None:
        """Store the check of what was filled in, unless something else was said meanwhile."""
        if live_sessions.get(tx, question.id).prefill == filled:
            live_sessions.mark(tx, question.id, prefill={**filled, "fits": not why, "why": as_stored(why)})
            self._show(tx, question, at)

    def end(
        self,
        tx: Tx,
        question: Question,
        by: Actor,
        at: datetime,
        *,
        status: Status = Status.COMPLETED,
        response: object = None,
        transcript: str | None = None,
        duration_ms: int | None = None,
        error: str | None = None,
    ) -> bool:
        """End it with a checked response. False if someone or something else was first."""
        live = live_sessions.get(tx, question.id)
        if not (question.config or {}).get("captureTranscript"):
            transcript = None
        elif (
            transcript is None and live.runtime is None
        ):  # a terminal's transcript is a file, which its end reads
            transcript = room_transcripts.of_room(tx, live)
        concluded = as_concluded(outcome_of(question.config), response)
        return self.resolution.conclude(
            tx,
            question,
            by,
            at,
            status=status,
            response=concluded.value,
            said=concluded.notes,
            kept={
                "session_transcript": transcript,
                "session_duration": _duration(live, question, at, duration_ms),
                "error": error,
            },
        )

    def refuse(
        self, tx: Tx, question: Question, by: Actor, at: datetime, why: str, *, is_final: bool
    ) -> bool:
        """Note a conclusion that does not fit. True if that was the last attempt, and the session has failed."""
        attempts = live_sessions.get(tx, question.id).attempts + 1
        live_sessions.mark(tx, question.id, attempts=attempts)
        if attempts < MOST_ATTEMPTS and not is_final:
            return False
        error = f"No conclusion fitted what was asked for. The last one ({attempts}): {why}"
        return self.end(tx, question, by, at, status=Status.FAILED, error=error)

    def _fill_in(self, tx: Tx, question: Question, words: str, value: object, by: str, at: datetime) -> None:
        fits = _fits(outcome_of(question.config), value) if value is not None else False
        filled = {"words": words, "value": value, "by": by, "fits": fits, "why": None}
        live_sessions.mark(tx, question.id, prefill=filled)
        if fits is None:
            work.due(tx, work.QUESTION, question.id, at)
        self._show(tx, question, at)

    def _show(self, tx: Tx, question: Question, at: datetime) -> None:
        """Show what is filled in, on the cards and in an open form."""
        self.cards.refresh(tx, question, at)
        announce(tx, EVERY_CHAT, QuestionChanged(question.id))

    def _ended(
        self, tx: Tx, question: Question, by: Actor, at: datetime, response: object, told: str
    ) -> str | None:
        return told if self.end(tx, question, by, at, response=response) else None


def _fits(outcome: WantedOutcome, value: object) -> bool | None:
    """None if only the schema can tell."""
    if outcome.type is OutcomeType.STRUCTURED:
        return None
    return misfit_of(outcome, value) is None


def _duration(live: LiveSession, question: Question, at: datetime, claimed: int | None) -> int:
    """How long people worked on it, in milliseconds. If the host saw it begin, only its own figure counts;
    otherwise a claim counts up to the time it was open.
    """
    since = (at - (live.opened_at or question.created_at)) // _MILLISECOND
    return max(0, since if live.opened_at or claimed is None else min(claimed, since))
