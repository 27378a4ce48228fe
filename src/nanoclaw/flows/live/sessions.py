"""A person opens an interactive session: it gets its own conversation, in which they work with the agent.

The conversation that asked, and waits, is a different one: nothing said here enters its transcript.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

from nanoclaw.context.preparation import Preparation
from nanoclaw.domain.errors import BadWorkspace, NotFound, Refused
from nanoclaw.domain.ids import SessionId, TurnId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.model_choice import ModelWish
from nanoclaw.domain.people import Actor, Person
from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.domain.turns import Session, TurnRequest
from nanoclaw.durable import live_sessions, people, prompts, questions, session_queue, sessions
from nanoclaw.durable.clock import now
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.human.deciders import may_decide
from nanoclaw.flows.live import brief, room
from nanoclaw.flows.live.files import FileChange, SessionFiles

WITH_TERMINAL = "claude-code"
FLOW = "E"
"""The flow these costs belong to: asking people."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveSessions:
    store: Store
    preparation: Preparation
    session_files: SessionFiles
    said_at_terminal: Callable[[Question], Awaitable[str | None]]

    async def open(self, question_id: str, by: Actor, *, in_chat: bool = True) -> LiveSession:
        """Open it once; later callers get the same conversation. Raises Refused: not theirs to decide, or
        over. `in_chat`: the agent begins there with the request. In a terminal, `terminal_request` begins
        it.
        """
        question = await self.store.read(lambda tx: _theirs(tx, question_id, by, now(), questions.get)[0])
        await self.session_files.remember(question.id, question.group)
        if in_chat and self.has_terminal(question) and await self.said_at_terminal(question):
            in_chat = False  # the agent already has the request
        return await self.store.write(lambda tx: _open(tx, question_id, by, now(), in_chat=in_chat))

    async def files(self, question_id: str) -> list[FileChange]:
        """The group's files that have changed since it was opened."""
        question = await self.store.read(lambda tx: questions.get(tx, question_id))
        return await self.session_files.changes(question.id, question.group) if question else []

    def has_terminal(self, question: Question) -> bool:
        """Whether its agent can be worked with at a terminal."""
        try:
            return self.preparation.runtime_for(question.group, question.skill) == WITH_TERMINAL
        except BadWorkspace:  # its group is gone
            return False

    async def terminal_request(self, question_id: str) -> TurnRequest:
        """What the agent in a terminal is given; its prompt is empty if the conversation has begun. Raises
        Refused while the agent answers in the chat, and if it has no terminal.
        """
        question, session, person, has_begun = await self.store.read(
            lambda tx: _for_terminal(tx, question_id)
        )
        prepared = await self.preparation.prepare(
            turn_id=TurnId(new_id("t")),
            session=session,
            messages=(),
            history=(),
            locale=self.preparation.locale_of(
                session, Locale(language=person.language, timezone=person.timezone)
            ),
            command=None,
            again=False,
            step=wanted_model(question),
            acts_as=question.skill or None,
            speaker=person.id,
            handle=person.handle,
            is_own=True,
        )
        if prepared.runtime != WITH_TERMINAL:
            raise Refused("no-terminal")
        first = "" if has_begun else brief.first_message(question)
        # The person sees the prompt on the screen; recalled memory is for the agent.
        known = prepared.request.recalled
        told = replace(
            prepared.request.system_prompt, skill=f"{prepared.request.system_prompt.skill}\n\n{known}".strip()
        )
        return equipped(replace(prepared.request, prompt=first, recalled="", system_prompt=told), question)


def _theirs(
    tx: Tx, question_id: str, by: Actor, at: datetime, look: Callable[[Tx, str], Question | None]
) -> tuple[Question, Person]:
    """The open session, if it is theirs to conclude."""
    question, person = look(tx, question_id), people.person_named(tx, by.handle)
    if question is None or question.kind is not QuestionKind.INTERACTIVE:
        raise NotFound("no-such-session", id=question_id)
    if person is None or may_decide(tx, question, by.handle, at) is None:
        raise Refused("question-forbidden")
    if not question.is_open:
        raise Refused("session-over")
    return question, person


def _open(tx: Tx, question_id: str, by: Actor, at: datetime, *, in_chat: bool) -> LiveSession:
    question, person = _theirs(tx, question_id, by, at, questions.locked)
    live = live_sessions.get(tx, question.id)
    if live.session_id is None:
        live = _begin(tx, question, by, at)
    if in_chat:
        _give_request(tx, question, live, person, at)
    return live


def _begin(tx: Tx, question: Question, by: Actor, at: datetime) -> LiveSession:
    chat = room.furnish(tx, question, at)
    session = sessions.find_or_open(tx, question.group, chat.id, None, at)
    live_sessions.mark(
        tx, question.id, session_id=session.id, chat_id=chat.id, opened_at=at, opened_by=by.handle
    )
    return live_sessions.get(tx, question.id)


def _give_request(tx: Tx, question: Question, live: LiveSession, person: Person, at: datetime) -> None:
    """Give the agent the request as someone else's words: nobody in the room wrote it. A running terminal
    begins with it itself.
    """
    session_id = SessionId(live.session_id or "")
    if not live_sessions.is_in_terminal(tx, live) and not sessions.exchanges(
        tx, sessions.get(tx, session_id), 1
    ):
        prompts.give(
            tx,
            session_id,
            brief.first_message(question),
            person,
            f"session {question.id}",
            at,
            is_hearsay=True,
        )


def _for_terminal(tx: Tx, question_id: str) -> tuple[Question, Session, Person, bool]:
    question, live = questions.get(tx, question_id), live_sessions.get(tx, question_id)
    if question is None or live.session_id is None:
        raise NotFound("no-such-session", id=question_id)
    person = people.person_named(tx, live.opened_by or "")
    if person is None or not question.is_open:
        raise Refused("session-over")
    session = sessions.get(tx, live.session_id)
    if session_queue.open_turn(tx, session.id) or session_queue.waiting_in(tx, session.id, 1, now()):
        raise Refused("session-answering")
    return question, session, person, bool(sessions.exchanges(tx, session, 1))


def wanted_model(question: Question) -> ModelWish | None:
    named = (question.config or {}).get("model")
    return ModelWish(by="session", model=str(named)) if named else None


def equipped(request: TurnRequest, question: Question) -> TurnRequest:
    """A turn of the room or the terminal, equipped as the request says."""
    config = question.config or {}
    servers = request.grants.mcp
    if (
        named := config.get("mcpServers")
    ) is not None:  # its file names the servers it needs; the group may have lost one
        servers = tuple(each for each in servers if each in named)
    return replace(
        request,
        system_prompt=brief.instructed(request.system_prompt, question),
        # No session within a session: its people are already here.
        grants=replace(
            request.grants, mcp=servers, without_tools=(*request.grants.without_tools, "request_session")
        ),
        cwd=str(config.get("cwd") or request.cwd),
        flow=FLOW,
        chain_id=question.chain_id,
        step=question.step,
    )
