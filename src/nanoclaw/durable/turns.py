"""A turn as it is taken up: everything the rows know about it, collected in the transaction that takes the lease."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import BadWorkspace, NanoClawError, Refused
from nanoclaw.domain.ids import MessageId, PersonId, SessionId, TurnId, moment_of
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, FileKind, Message
from nanoclaw.domain.model_choice import ModelWish
from nanoclaw.domain.news import MessageChanged
from nanoclaw.domain.people import Person, Rights, Role, Speaker
from nanoclaw.domain.pipeline_runs import StepAtWork
from nanoclaw.domain.pipelines import PipelineWish
from nanoclaw.domain.plans import Questionnaire
from nanoclaw.domain.questions import Question
from nanoclaw.domain.tasks import Run, RunStatus, Task
from nanoclaw.domain.turns import Exchange, FollowUps, ModelAsked, Session, TurnState
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import (
    budgets,
    memberships,
    messages,
    people,
    questions,
    session_queue,
    sessions,
    task_runs,
    tasks,
    timeline,
)
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import turns
from nanoclaw.durable.timeline import Event, note_all
from nanoclaw.durable.work import Claim

MOST_MESSAGES = 100  # per turn; the rest join the next
_REMEMBERED = 20  # earlier turns that the agent sees again
_MOST_KEPT = 10  # accumulated messages
_ENDED = (
    sa.select(turns)
    .where(
        turns.c.then_kind == sa.bindparam("kind"),
        turns.c.then_key == sa.bindparam("key"),
        turns.c.id > sa.bindparam("after"),
        turns.c.finished_at.is_not(None),
    )
    .order_by(turns.c.id)
)


@dataclass(kw_only=True)
class Turn:
    """What was collected when the turn was claimed, and its state while it runs."""

    id: TurnId
    session: Session
    chat: Chat
    messages: list[Message]
    overheard: list[Message]  # accumulated: said before, and woke nobody
    history: tuple[Exchange, ...]
    speaker: Person  # who woke it: it has their rights and clock, and acts for them
    woken_by: Locale
    then: Continuation | None  # what waits for its answer, if nobody watches it in the chat
    again: bool
    started_at: datetime
    speakers: dict[PersonId, Speaker] = field(default_factory=dict)  # filled if several people speak
    # Asked before it began again; the flag: does the answer come as a message?
    asked: list[tuple[Question, bool]] = field(default_factory=list)
    is_of_stranger: bool = False  # nobody has vouched for the person who woke it
    is_mixed: bool = (
        False  # it contains something no member said: from a stranger, a file, a web page, a tool
    )
    is_source_unnoted: bool = False  # its row does not say yet that it is mixed
    acts_as: str | None = None  # the skill that asked the question answered now, or that its work needs
    wanted_model: ModelWish | None = None  # what the step of its work says about the model
    wish: PipelineWish | None = None  # the pipeline it seems to ask for, if any
    may_ask_first: bool = True  # whether it may answer with questions, because a person waits
    wants_memory: bool = True  # whether it uses its company's memory, as far as the chat allows
    step: StepAtWork | None = None  # the pipeline step this is for
    task: Task | None = None  # the task whose run this belongs to
    run: Run | None = None
    preparing: "asyncio.Task[Any] | None" = None  # what the agent is told, begun before the turn was stored
    follow_ups: FollowUps = field(default_factory=FollowUps)
    offered: dict[MessageId, Message] = field(default_factory=dict)
    prompt: str = ""
    skill: str | None = None
    company: str = ""
    recalled: tuple[str, ...] = ()  # ids of the entries in its prompt
    answer: str = ""
    last_asked: ModelAsked | None = None
    micros: int = 0  # its cost since it began here
    stopped: bool = False
    says_something: bool = True  # it may, until it is over
    steps: list[tuple[Event, datetime, dict[str, object]]] = field(default_factory=list)

    @property
    def acts_on_answer(self) -> bool:
        """Whether a person's decision woke it."""
        return any(message.answers for message in self.messages)

    @property
    def is_own(self) -> bool:
        """Whether a person wrote what woke it, or decided it, and waits for the answer in the chat."""
        by_people = any(not is_result(message) for message in self.messages)
        return by_people and self.task is None and self.then is None

    @property
    def has_people(self) -> bool:
        """Whether a known person waits for the answer in the chat, and can be asked something first."""
        return self.task is None and self.then is None and not self.is_of_stranger

    def note(self, event: Event, **detail: object) -> None:
        self.steps.append((event, now(), detail))

    def is_over(self, session: Session) -> bool:
        """Whether a person stopped the session after this turn began; what began later, such as a retry, is
        not affected.
        """
        return session.stopped_by is not None and session.stopped_by > self.id


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnResult:
    """How a turn went, and what to say in the chat."""

    state: TurnState
    said: str
    error: NanoClawError | None = None
    skipped: bool = False  # the agent was not needed
    note: str = ""  # for the people who read it, not for agents
    questionnaire: Questionnaire | None = None  # what it asked first

    def kept(self, turn: Turn) -> dict[str, object]:
        """The result as stored in the row, for whatever waits for the turn."""
        values = self.error.values if self.error else {}
        return {
            "said": self.said,
            "error": self.error
            and {"key": self.error.key, **{name: _plain(each) for name, each in values.items()}},
            "lasting": isinstance(self.error, Refused),
            "skipped": self.skipped,
            "micros": turn.micros,
            "note": self.note,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class EndedTurn:
    """What the work that waited for a turn finds."""

    id: TurnId
    session_id: SessionId
    state: TurnState
    said: str = ""
    error: dict[str, object] | None = None
    lasting: bool = False  # the error: only a person can fix it
    skipped: bool = False
    micros: int = 0
    note: str = ""


def ended_for(tx: Tx, then: Continuation, after: str | None = None) -> list[EndedTurn]:
    """The turns this waited for, in the order they began; optionally only those after a given one."""
    rows = tx.execute(_ENDED, {"kind": then.kind, "key": then.key, "after": after or ""})
    return [
        EndedTurn(
            id=TurnId(row.id),
            session_id=SessionId(row.session_id),
            state=TurnState(row.state),
            **(row.result or {}),
        )
        for row in rows
    ]


def gather(tx: Tx, claim: Claim) -> Turn | None:
    """The turn that a dead host or an outage left unfinished, otherwise one of everything that waits; None if
    nothing does.
    """
    session = sessions.get(tx, claim.key)
    begun = session_queue.open_turn(tx, session.id)
    asked: list[tuple[Question, bool]] = []
    woken: Person | None = None
    then = begun.then if begun else session.then
    if begun is not None:
        budgets.tried_again(tx, claim.kind, claim.key)
        turn_id, started_at = begun.id, begun.started_at
        waiting = session_queue.messages_of(tx, turn_id)
        overheard = session_queue.kept_of(tx, turn_id, _MOST_KEPT)
        asked = _asked_before(tx, session.chat_id, turn_id)
        if not timeline.happened(tx, turn_id, Event.HELD):
            note_all(tx, turn_id, [(Event.STARTED_AGAIN, now(), {"attempt": claim.attempt})])
    else:
        # A message whose files are being fetched keeps its place: what was said after it waits too.
        started_at = now()
        come = session_queue.waiting_in(tx, session.id, MOST_MESSAGES, started_at)
        ready = list(takewhile(lambda message: message.is_ready, come))
        if not ready:
            return None
        woken = person_behind(tx, ready[0])
        waiting = together(tx, ready, woken)
        turn_id = session_queue.begin_turn(tx, session, waiting, started_at)
        overheard = _overhear(tx, session, turn_id)
        note_all(tx, turn_id, [(Event.STARTED, started_at, {"messages": len(waiting)})])
    chat = people.chat(tx, session.chat_id)
    if chat is None:
        raise BadWorkspace("chat-gone", session=session.id)
    task = tasks.get(tx, session.task) if session.task else None
    for message in () if then else waiting:
        announce(tx, chat.id, MessageChanged(message.id))
    speaker = people.person(tx, task.owner) if task else woken or person_behind(tx, waiting[0])
    speakers = speakers_in(tx, chat, session, [*overheard, *waiting])
    is_of_stranger = _is_stranger(tx, speaker, session.group)
    if is_of_stranger and begun is None and not _follows_stranger(tx, session, turn_id):
        session = sessions.begin_conversation(tx, session, started_at)
    return Turn(
        id=turn_id,
        session=session,
        chat=chat,
        messages=waiting,
        overheard=overheard,
        history=sessions.exchanges(tx, session, _REMEMBERED),
        speaker=speaker,
        woken_by=Locale(
            language=speaker.language, timezone=task.schedule.timezone if task else speaker.timezone
        ),
        then=then,
        again=begun is not None,
        started_at=started_at,
        speakers=speakers,
        is_of_stranger=is_of_stranger,
        is_mixed=is_of_stranger
        or bool(begun and begun.is_mixed)
        or bool(task and (task.check or task.is_mixed))
        or any(said_by_others(each, speakers) for each in (*overheard, *waiting)),
        asked=asked,
        acts_as=_answered_skill(tx, waiting) or (task.skill or None if task else None),
        task=task,
        run=_run_of(tx, task, started_at) if task else None,
    )


def said_by_others(message: Message, speakers: Mapping[PersonId, Speaker]) -> bool:
    """Whether it brings something no member of the group said: a stranger wrote it, or it is forwarded,
    quotes someone, has a file, or reports what a task said. A voice message is its sender's own word.
    """
    known = speakers.get(message.person_id)
    quotes = message.reply_to is not None and not message.reply_to.ours
    return (
        (known is not None and not known.role.may(Role.MEMBER))
        or not message.in_own_words
        or is_result(message)
        or quotes
        or any(file.kind is not FileKind.VOICE for file in message.files)
    )


def is_result(message: Message) -> bool:
    """Whether it is the host's report of what a task said."""
    return message.sender == messages.HOST and not message.answers


def _is_stranger(tx: Tx, person: Person, group: str) -> bool:
    """Whether they are a stranger here. Most people are known everywhere, and then nothing is looked up."""
    return not (
        person.role.may(Role.MEMBER) or memberships.rights_of(tx, person).role_in(group).may(Role.MEMBER)
    )


def _follows_stranger(tx: Tx, session: Session, turn_id: TurnId) -> bool:
    """Whether the turn before was a stranger's too, so that its agent was told nothing that only members may know."""
    before = session_queue.messages_before(tx, session.id, turn_id)
    return bool(before) and _is_stranger(tx, person_behind(tx, before[0]), session.group)


def speaker_of(tx: Tx, session: Session) -> Person | None:
    """The person the session's running turn works for; None if none runs."""
    if session.task and (task := tasks.get(tx, session.task)):
        return people.person(tx, task.owner)
    turn = session_queue.open_turn(tx, session.id)
    said = session_queue.messages_of(tx, turn[0]) if turn else []
    return person_behind(tx, said[0]) if said else None


def person_behind(tx: Tx, message: Message) -> Person:
    """The person behind it: for a decision not the decider, but the person the agent asked for."""
    while message.answers and (question := questions.get(tx, message.answers)):
        # A retry has taken the message out of the turn that asked.
        turn_id = TurnId(question.execution_id)
        asked = session_queue.messages_of(tx, turn_id) or session_queue.said_before(
            tx, question.session_id, turn_id
        )
        if not asked:
            break
        message = asked[0]
    return people.person(tx, message.person_id)


def together(tx: Tx, come: list[Message], speaker: Person | None = None) -> list[Message]:
    """The first of these that may share a turn: people with different rights never do. The turn works for the
    speaker, or for the author of the first message.
    """
    rights: Rights | None = None
    joined: list[Message] = []
    for message in come:
        if speaker is None:
            speaker = person_behind(tx, message)
        elif message.answers or message.person_id != speaker.id:
            other = person_behind(tx, message)
            rights = rights or memberships.rights_of(tx, speaker)
            if other.id != speaker.id and memberships.rights_of(tx, other) != rights:
                break
        joined.append(message)
    return joined


def _run_of(tx: Tx, task: Task, at: datetime) -> Run | None:
    """The run that this turn continues."""
    run = task_runs.current(tx, task.id)
    if run is not None:
        task_runs.mark(tx, run.id, status=RunStatus.RUNNING.value, started_at=run.started_at or at)
    return run and task_runs.get(tx, run.id)


def _asked_before(tx: Tx, chat_id: str, turn_id: TurnId) -> list[tuple[Question, bool]]:
    """What the turn asked people before it was cut off: the answers are told now, or wake the session later.

    An answer that waits in the session as a message is not told twice.
    """
    for question in questions.of_execution(tx, turn_id):
        if not questions.leave(tx, question.id):
            questions.carry(tx, question.id, now())
    asked = questions.of_execution(tx, turn_id)
    return [(each, messages.answer_was_brought(tx, chat_id, each.id)) for each in asked]


def _answered_skill(tx: Tx, waiting: list[Message]) -> str | None:
    """The skill that asked: as another one the agent would have another system prompt, other tools, and none
    of the rules it asked under.
    """
    brought = [questions.get(tx, message.answers) for message in waiting if message.answers]
    return next((question.skill for question in reversed(brought) if question and question.skill), None)


def speakers_in(tx: Tx, chat: Chat, session: Session, said: list[Message]) -> dict[PersonId, Speaker]:
    """Empty in a private chat, where nobody can be confused with anyone."""
    return {} if chat.kind is ChatKind.PRIVATE else memberships.speakers(tx, said, session.group)


def _plain(value: object) -> object:
    return value if isinstance(value, int | float | str | bool) else str(value)


def _overhear(tx: Tx, session: Session, turn_id: TurnId) -> list[Message]:
    if not session.keeps:
        return []
    sessions.keep(tx, session.id, keeps=False)
    kept = session_queue.read_kept(tx, session.id, turn_id, _MOST_KEPT)
    since = moment_of(session.cleared_by or "")
    return [each for each in kept if moment_of(each.id) > since]
