"""What the rows say about a session that is to be taken elsewhere, read in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.handoffs import Handoff
from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, MemoryMode
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.pipeline_runs import PipelineRun, RunStatus, StepRun
from nanoclaw.domain.plans import Plan
from nanoclaw.domain.questions import Question
from nanoclaw.domain.tasks import Task
from nanoclaw.domain.transfers import Transfer
from nanoclaw.domain.turns import Session
from nanoclaw.durable import (
    handoffs,
    memberships,
    people,
    pipeline_runs,
    plans,
    questions,
    session_record,
    sessions,
    tasks,
)
from nanoclaw.durable.session_record import SaidLine, TurnTime
from nanoclaw.durable.store import Tx
from nanoclaw.memory import index

FACTS, DECISIONS = 20, 10  # of the snapshot
_MOST_SAID = 1000  # more than 60 kB of transfer.md can hold, unless the messages are very short
_MOST_TURNS = 2000
_MOST = 10  # handoffs, plans, tasks
_FACTS = EntryFilter(kinds=(EntryKind.FACT, EntryKind.PREFERENCE, EntryKind.PRIORITY))
_DECISIONS = EntryFilter(kinds=(EntryKind.DECISION,), without_presses=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """`said`: the newest of `said_count`. `guests`: speakers nobody has vouched for. Memory is empty if this
    chat may not read it.
    """

    session: Session
    asker: Person
    said: tuple[SaidLine, ...]
    said_count: int
    turns: tuple[TurnTime, ...]
    guests: Mapping[str, int]
    handoffs: tuple[Handoff, ...]
    plans: tuple[Plan, ...]
    tasks: tuple[Task, ...]
    questions: tuple[Question, ...]
    run: PipelineRun | None
    steps: tuple[StepRun, ...]
    reads_memory: bool
    facts: tuple[Entry, ...]
    decisions: tuple[Entry, ...]


def gather(tx: Tx, transfer: Transfer, at: datetime) -> Gathered:
    session = sessions.get(tx, transfer.session_id)
    said = session_record.newest(tx, session, _MOST_SAID)
    chat, run = people.chat(tx, session.chat_id), _run(tx, session)
    reads_memory = chat is not None and chat.memory is not MemoryMode.OFF
    worked_on = handoffs.worked_on(tx, session.id)
    is_open = worked_on is not None and not worked_on.state.is_over
    return Gathered(
        session=session,
        asker=people.person(tx, transfer.person_id),
        said=tuple(said),
        said_count=session_record.count(tx, session),
        turns=tuple(session_record.turn_times(tx, session, _MOST_TURNS)),
        guests=_guests(tx, session, said),
        handoffs=(*([worked_on] if worked_on and is_open else ()), *handoffs.from_session(tx, session.id))[
            :_MOST
        ],
        plans=tuple(plans.of_place(tx, session.group, session.chat_id, session.thread, _MOST)),
        tasks=tuple(each for each in tasks.alive(tx, [session.group]) if each.chat_id == session.chat_id)[
            :_MOST
        ],
        questions=tuple(questions.open_of(tx, session.id)),
        run=run,
        steps=tuple(pipeline_runs.steps(tx, run.id)) if run else (),
        reads_memory=reads_memory,
        facts=tuple(_latest(tx, transfer.company, _FACTS, at, FACTS)) if reads_memory else (),
        decisions=tuple(_latest(tx, transfer.company, _DECISIONS, at, DECISIONS)) if reads_memory else (),
    )


def _latest(tx: Tx, company: str, wanted: EntryFilter, at: datetime, limit: int) -> list[Entry]:
    return index.latest(tx, company, wanted, at, limit=limit)


def _run(tx: Tx, session: Session) -> PipelineRun | None:
    """The run that the session works for, or the one under way in its chat."""
    if work := pipeline_runs.at_work(tx, session.id):
        return work.run
    open_ones = pipeline_runs.newest(
        tx, groups=[session.group], chat_id=session.chat_id, statuses=[RunStatus.RUNNING], limit=_MOST
    )
    return next((each for each in open_ones if (each.thread or None) == session.thread), None)


def _guests(tx: Tx, session: Session, said: list[SaidLine]) -> dict[str, int]:
    """Guests numbered in the order in which they first spoke."""
    guests: dict[str, int] = {}
    for person_id in dict.fromkeys(each.person_id for each in said if each.person_id):
        rights = memberships.rights_of(tx, people.person(tx, person_id))
        if not rights.role_in(session.group).may(Role.MEMBER):
            guests[person_id] = len(guests) + 1
    return guests
