"""Ends a handoff. Its result goes to the chat, or back to the sender: once, in the transaction that ends it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.domain.handoffs import Handoff, HandoffState, HandoffType, HandoffWay
from nanoclaw.domain.ids import MessageId, SessionId, TurnId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.domain.turns import Session
from nanoclaw.durable import chains, handoffs, messages, people, questions, session_queue, sessions, work
from nanoclaw.durable.chain_history import RETURNED
from nanoclaw.durable.store import Tx
from nanoclaw.flows.handoffs.given_work import reason, told_sender
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.texts import say

HOST = Actor(handle="host", name="", rights=Rights(everywhere=Role.STRANGER), via="host", language="en")


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffEnds:
    groups: Groups
    resolution: Resolution
    locale: Locale

    def end(
        self,
        tx: Tx,
        handoff: Handoff,
        state: HandoffState,
        at: datetime,
        *,
        result: str | None = None,
        why: dict[str, Any] | None = None,
        turn_id: TurnId | None = None,
        by: Actor | None = None,
        is_told: bool = True,
    ) -> Handoff:
        """`turn_id` is the turn that gave the result; `by` is the person who ended it, if one did. Nobody is
        told unless `is_told`.
        """
        self._take_back(tx, handoff, by or HOST, at)
        handoffs.mark(tx, handoff.id, state=state.value, result=result, why=why, ended_at=at)
        ended = replace(handoff, state=state, result=result, why=why, ended_at=at)
        if state is not HandoffState.DONE and handoff.session_id:
            # What they would say is of no use to anyone now.
            for child in self.open_of(tx, handoff.session_id):
                self.end(tx, child, HandoffState.CANCELLED, at, by=by)
        if handoff.came:
            work.due(
                tx, work.HANDOFF, handoff.id, at
            )  # the story writes the result for the runtime that pushed it
            return ended
        if handoff.way is HandoffWay.INSIDE or not is_told:
            return ended  # its result is the reply of the tool
        sender = sessions.get(tx, handoff.from_session)
        if handoff.type is HandoffType.SEQUENTIAL:
            self._answer(tx, ended, sender, turn_id, at)
        elif all(each.state.is_over for each in self._together(tx, ended)):
            self._return(tx, self._together(tx, ended), sender, at)
        return ended

    def open_of(self, tx: Tx, session_id: SessionId) -> Iterator[Handoff]:
        """What its agent has handed over, to be ended. Another host may end one meanwhile: that end stays."""
        for each in handoffs.from_session(tx, session_id):
            current = handoffs.locked(tx, each.id)
            if current and not current.state.is_over:
                yield current

    def _together(self, tx: Tx, handoff: Handoff) -> list[Handoff]:
        return handoffs.joined(tx, handoff.joins) if handoff.joins else [handoff]

    def _take_back(self, tx: Tx, handoff: Handoff, by: Actor, at: datetime) -> None:
        """Close the question it waited for, and stop the turn that works on it."""
        gate = questions.locked(tx, handoff.question_id) if handoff.question_id else None
        if gate and gate.is_open:
            self.resolution.cancel(tx, gate, by, at)
        if not handoff.session_id:
            return
        for question in questions.open_of(tx, handoff.session_id):
            questions.carry(tx, question.id, at)  # the answer wakes nobody
            self.resolution.cancel(tx, question, by, at)
        session_queue.stop_waiting(tx, handoff.session_id)
        if begun := session_queue.open_turn(tx, handoff.session_id):
            sessions.stop(tx, handoff.session_id, max(at, begun.started_at))  # even if the clock was set back
            work.due(tx, work.STEP, handoff.session_id, at)

    def _answer(
        self, tx: Tx, handoff: Handoff, sender: Session, turn_id: TurnId | None, at: datetime
    ) -> None:
        """Answer in place of the sender: the work that waits for it, otherwise the chat."""
        if sender.then and sender.then.kind == work.HANDOFF:
            work.due(tx, work.HANDOFF, sender.then.key, at)
            return
        is_done = handoff.state is HandoffState.DONE
        if is_done and not handoff.result:
            return
        language = self.language(tx, handoff)
        said = handoff.result if is_done else None
        outbox.post(
            tx,
            chat_id=handoff.chat_id,
            thread=handoff.thread,
            author=Author.AGENT if is_done else Author.HOST,
            text=said
            or say(language, "handoff-no-result", skill=handoff.to_skill, reason=reason(handoff, language)),
            at=at,
            turn_id=turn_id,
            message_id=chains.message_of(tx, handoff.chain_id),
            origin=f"handoff {handoff.id}",
        )
        self._let_know(tx, handoff, sender, at)

    def _let_know(self, tx: Tx, handoff: Handoff, sender: Session, at: datetime) -> None:
        """Tell the chat's own agent what was said there, without waking it."""
        where = "It was sent to the chat." if handoff.state is HandoffState.DONE else "The person was told."
        if message := self._bring(tx, [handoff], sender, at, f"{told_sender([handoff])}\n{where}"):
            session_queue.keep(tx, message, sender.id)
            sessions.keep(tx, sender.id, keeps=True)

    def _return(self, tx: Tx, together: list[Handoff], sender: Session, at: datetime) -> None:
        """Wake the sender once with all results, unless it has ended meanwhile."""
        if sender.then and sender.then.kind == work.HANDOFF:
            own = handoffs.get(tx, sender.then.key)
            if own is None or own.state.is_over:
                return
        if message := self._bring(tx, together, sender, at, told_sender(together)):
            session_queue.join(tx, message, sender.id)
            work.due(tx, sender.lane, sender.id, at, priority=sender.priority)

    def _bring(
        self, tx: Tx, together: list[Handoff], sender: Session, at: datetime, text: str
    ) -> MessageId | None:
        """Bring a message from the host: what another agent says is no person's word."""
        first = together[0]
        person = people.person(tx, first.person_id)
        told = messages.by_host(f"{RETURNED} {first.id}", person, text, at, thread=sender.thread)
        message = messages.bring(tx, MessageId(new_id("m")), first.chat_id, person.id, told)
        return message.id if message else None

    def language(self, tx: Tx, handoff: Handoff) -> str:
        own = Locale(language=people.person(tx, handoff.person_id).language)
        return own.or_else(self.groups.locale_of(handoff.from_group)).or_else(self.locale).speaks


def returned_to(tx: Tx, session: Session) -> Handoff | None:
    """The handoff whose result the running turn of this session was woken with."""
    turn = session_queue.open_turn(tx, session.id)
    for message in session_queue.messages_of(tx, turn.id) if turn else ():
        if message.sender == messages.HOST and message.external_id.startswith(f"{RETURNED} "):
            found = handoffs.get(tx, message.external_id.removeprefix(f"{RETURNED} "))
            if found and found.from_session == SessionId(session.id):
                return found
    return None
