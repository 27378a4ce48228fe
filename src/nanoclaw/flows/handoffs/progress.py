"""Advances a handoff: one look takes up what has ended, writes it, and begins what is next, in one transaction."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.handoffs import Handoff, HandoffState, HandoffType, HandoffWay
from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.turns import TurnState
from nanoclaw.durable import handoffs, people, questions, session_queue, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.turns import EndedTurn, ended_for
from nanoclaw.flows.handoffs.ends import HandoffEnds
from nanoclaw.flows.handoffs.given_work import effect_of, reason
from nanoclaw.flows.handoffs.start import start_session

YES = "approve"
_LOOK_AFTER = timedelta(minutes=15)  # at sub-agents whose turn may have been cut off


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffProgress:
    ends: HandoffEnds

    def go_on(self, tx: Tx, handoff_id: str, at: datetime) -> datetime | None:
        """Do what is next; returns when to look again if nothing happens before."""
        handoff = handoffs.locked(tx, handoff_id)
        if handoff is None or handoff.state.is_over:
            return None
        match handoff.state:
            case HandoffState.ASKED:
                return self._asked(tx, handoff, at)
            case HandoffState.WAITING:
                return self._waits(tx, handoff, at)
            case _ if handoff.way is HandoffWay.INSIDE:
                return self._inside(tx, handoff, at)
            case _:
                self._runs(tx, handoff, at)
                return None

    def _asked(self, tx: Tx, handoff: Handoff, at: datetime) -> datetime | None:
        question = questions.get(tx, handoff.question_id) if handoff.question_id else None
        if handoff.expires_at <= at:
            self._expire(tx, handoff, at)
        elif question and question.is_open:
            return handoff.expires_at
        elif question and _is_agreed(question) and not question.is_about(effect_of(handoff)):
            self.ends.end(tx, handoff, HandoffState.REFUSED, at, why={"key": "handoff-not-as-shown"})
        elif question and _is_agreed(question):
            agreed = people.person_named(tx, question.decided_by or "") if handoff.came else None
            if agreed:  # nobody else vouches for a contract that came through git
                handoff = replace(handoff, person_id=agreed.id)
            handoffs.mark(tx, handoff.id, state=HandoffState.WAITING.value, person_id=handoff.person_id)
            return at if handoff.way is HandoffWay.GIT else self._waits(tx, handoff, at)
        else:
            self.ends.end(tx, handoff, HandoffState.REFUSED, at, why=_refusal(question))
        return None

    def _waits(self, tx: Tx, handoff: Handoff, at: datetime) -> datetime | None:
        if handoff.expires_at <= at:
            self._expire(tx, handoff, at)
            return None
        if handoff.way is HandoffWay.GIT:
            return handoff.expires_at
        start_session(tx, handoff, at)
        return None

    def _expire(self, tx: Tx, handoff: Handoff, at: datetime) -> None:
        why = {"key": "handoff-expired", "at": handoff.expires_at.isoformat(timespec="seconds")}
        self.ends.end(tx, handoff, HandoffState.EXPIRED, at, why=why)

    def _inside(self, tx: Tx, handoff: Handoff, at: datetime) -> datetime | None:
        """The turn that waits for the result writes it; if that turn is over, nobody will, and the handoff failed."""
        if handoff.from_turn and session_queue.is_running(tx, handoff.from_turn):
            return at + _LOOK_AFTER
        self.ends.end(tx, handoff, HandoffState.FAILED, at, why={"key": "handoff-cut-off"})
        return None

    def _runs(self, tx: Tx, handoff: Handoff, at: datetime) -> None:
        ended = ended_for(tx, Continuation(work.HANDOFF, handoff.id))
        if not ended or handoff.session_id is None:
            return
        last = ended[-1]
        if last.state is TurnState.FAILED:
            state, why = _failure(last)
            self.ends.end(tx, handoff, state, at, why=why)
        elif last.state is TurnState.STOPPED:
            self.ends.end(tx, handoff, HandoffState.CANCELLED, at)
        elif not self._is_awaited(tx, handoff, at):
            said = self._result(tx, handoff, ended)
            self.ends.end(tx, handoff, HandoffState.DONE, at, result=said, turn_id=last.id)

    def _is_awaited(self, tx: Tx, handoff: Handoff, at: datetime) -> bool:
        """Whether its agent will continue: a question is open, others work for it, or it was told more."""
        session_id = handoff.session_id
        assert session_id is not None  # noqa: S101 - it runs
        return bool(
            questions.open_of(tx, session_id)
            or session_queue.waiting_in(tx, session_id, 1, at)
            or session_queue.open_turn(tx, session_id)
            or handoffs.from_session(tx, session_id)
        )

    def _result(self, tx: Tx, handoff: Handoff, ended: list[EndedTurn]) -> str:
        """What it said, and what the agents said to whom it handed the work on."""
        said = [turn.said for turn in ended if turn.said]
        for other in handoffs.from_session(tx, handoff.session_id or "", is_open=False):
            if other.type is HandoffType.SEQUENTIAL:
                is_done = other.state is HandoffState.DONE
                said.append((other.result or "") if is_done else reason(other, "en"))
        return "\n\n".join(filter(None, said))


def _is_agreed(question: Question) -> bool:
    return question.status is Status.COMPLETED and question.chosen == YES


def _refusal(question: Question | None) -> dict[str, str]:
    if question is None or question.status is not Status.COMPLETED:
        return {"key": "handoff-undecided"}
    return {"key": "handoff-not-wanted", "name": question.decided_name or ""}


def _failure(turn: EndedTurn) -> tuple[HandoffState, dict[str, object]]:
    why = dict(turn.error or {"key": "handoff-cut-off"})
    return HandoffState.EXPIRED if why["key"] == "handoff-expired" else HandoffState.FAILED, why
