"""What followed from a message in other sessions: pipeline runs and handoffs, up to the last answer, for `why`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.handoffs import Handoff, HandoffState
from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun
from nanoclaw.durable import handoffs, pipeline_runs, timeline
from nanoclaw.durable.messages import HOST
from nanoclaw.durable.pipeline_tables import chains
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages, session_queue, sessions, turns
from nanoclaw.durable.timeline import Event, TimelineStep

RETURNED = "returned handoff"
"""The start of the ref of a message that brings a result back; the handoff's id follows."""
# Of the turns of a chain, only what the chain itself does not say.
_TOLD = (
    *(Event.HELD, Event.STUCK, Event.QUESTION_ASKED, Event.QUESTION_DECIDED, Event.SESSION_ENDED),
    *(Event.DELIVERED, Event.DELIVERY_FAILED, Event.DELIVERY_UNKNOWN, Event.DELIVERY_DROPPED),
)
_RUN_KEY = {"done": "run-done", "failed": "run-failed", "cancelled": "run-cancelled"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainStep:
    """The sentence is `why-<key>` with these values."""

    at: datetime
    key: str
    values: dict[str, object] = field(default_factory=dict)


def chains_of(tx: Tx, message_id: str) -> list[str]:
    """The chains that began with this message, in order."""
    found = sa.select(chains.c.id).where(chains.c.message_id == message_id).order_by(chains.c.created_at)
    return list(tx.execute(found).scalars())


def root_of(tx: Tx, message_id: str) -> str:
    """The message that started the chain, if the host gave this one to an agent of a chain; otherwise itself."""
    in_session = (
        sa.select(chains.c.message_id)
        .join(sessions, sessions.c.chain_id == chains.c.id)
        .join(session_queue, session_queue.c.session_id == sessions.c.id)
        .where(session_queue.c.message_id == message_id, chains.c.message_id.is_not(None))
    )
    root = tx.execute(in_session.limit(1)).scalar() or _root_of_result(tx, message_id)
    return str(root) if root else message_id


def _root_of_result(tx: Tx, message_id: str) -> str | None:
    this = sa.and_(messages.c.id == message_id, messages.c.channel == HOST)
    ref = tx.execute(sa.select(messages.c.external_id).where(this)).scalar() or ""
    handoff = handoffs.get(tx, ref.removeprefix(f"{RETURNED} ")) if ref.startswith(RETURNED) else None
    found = sa.select(chains.c.message_id).where(chains.c.id == (handoff.chain_id if handoff else ""))
    root: str | None = tx.execute(found).scalar()
    return root


def history_of(tx: Tx, chain_id: str) -> tuple[list[ChainStep], list[TimelineStep]]:
    """What the chain did, and what else happened in its turns."""
    run, handed = pipeline_runs.get(tx, chain_id), handoffs.of_chain(tx, chain_id)
    told = [*(_of_run(run, pipeline_runs.steps(tx, chain_id)) if run else ()), *_of_handoffs(handed)]
    return told, [step for step in timeline.of_turns(tx, _turns(tx, chain_id, handed)) if step.event in _TOLD]


def _of_run(run: PipelineRun, steps: list[StepRun]) -> Iterator[ChainStep]:
    yield ChainStep(at=run.created_at, key="run-asked", values={"title": run.template.title, "id": run.id})
    roles = {step.number: step.role for step in run.template.steps}
    for step in steps:
        named = {"number": step.number, "role": roles.get(step.number, "")}
        if step.started_at:
            yield ChainStep(at=step.started_at, key="run-step-started", values=named)
        if step.ended_at:
            yield ChainStep(
                at=step.ended_at, key="run-step-ended", values={**named, "state": step.state.value}
            )
    if run.ended_at and (key := _RUN_KEY.get(run.status.value)):
        yield ChainStep(at=run.ended_at, key=key, values={"title": run.template.title})


def _of_handoffs(handed: list[Handoff]) -> Iterator[ChainStep]:
    for each in handed:
        named = {"sender": each.from_skill, "receiver": each.to_skill, "step": each.step}
        yield ChainStep(at=each.created_at, key="handed-over", values={**named, "id": each.id})
        if each.ended_at:
            reason = {"error": dict(each.why)} if each.why and each.state is not HandoffState.DONE else {}
            values = {**named, "state": each.state.value, **reason}
            yield ChainStep(at=each.ended_at, key="handoff-ended", values=values)


def _turns(tx: Tx, chain_id: str, handed: list[Handoff]) -> list[str]:
    """The turns of the chain's sessions, and those that a result woke."""
    inside = sa.select(turns.c.id).join(sessions, sessions.c.id == turns.c.session_id)
    found = list(tx.execute(inside.where(sessions.c.chain_id == chain_id)).scalars())
    refs = [f"{RETURNED} {each.id}" for each in handed]
    woken = (
        sa.select(session_queue.c.turn_id)
        .join(messages, messages.c.id == session_queue.c.message_id)
        .where(
            messages.c.channel == HOST,
            messages.c.external_id.in_(refs),
            messages.c.chat_id.in_({each.chat_id for each in handed}),
            session_queue.c.turn_id.is_not(None),
        )
    )
    return [*found, *(tx.execute(woken).scalars() if refs else ())]
