"""Starts a handoff: its receiver gets its own session, with the content as its first message."""

from dataclasses import replace
from datetime import datetime

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.handoffs import Handoff, HandoffState
from nanoclaw.durable import handoffs, people, prompts, sessions, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.handoffs.given_work import text_of


def start_session(tx: Tx, handoff: Handoff, at: datetime) -> Handoff:
    """Open a session for the same person in a lane of its own, so that the chat stays free."""
    session_id = sessions.open_apart(
        tx,
        lane=work.STEP,
        group=handoff.to_group,
        chat_id=handoff.chat_id,
        thread=handoff.thread,
        at=at,
        then=Continuation(work.HANDOFF, handoff.id),
        chain_id=handoff.chain_id,
    )
    person = people.person(tx, handoff.person_id)
    prompts.give(
        tx,
        session_id,
        text_of(handoff),
        person,
        f"handoff {handoff.id}",
        at,
        is_hearsay=handoff.is_mixed,
    )
    handoffs.mark(tx, handoff.id, state=HandoffState.RUNNING.value, session_id=session_id)
    return replace(handoff, state=HandoffState.RUNNING, session_id=session_id)
