"""Flow E. The agent stops until a person answers.

A question is stored, shown to the deciders, and decided once. The asker waits for a while; then its box and its place
are free for others, and the answer wakes the session, hours or days later.
"""

import asyncio
import math
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from nanoclaw.context.groups import Group
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import SessionId, TurnId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import Asker, NewQuestion, Question
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.domain.tool_requests import BadToolRequest, ToolReply, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import questions, session_queue, sessions, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import person_behind
from nanoclaw.flows.human.answer_text import reply
from nanoclaw.flows.human.new_questions import Document, NewQuestions
from nanoclaw.flows.human.program_requests import read_program_request, read_session_request
from nanoclaw.flows.human.session_requests import SessionRequests
from nanoclaw.flows.human.waits import Waits
from nanoclaw.sandbox.copies import CannotSend, Copies

CAME_ALREADY = "This was answered meanwhile: the answer has come to you as a message."
_SURE_LOOK = 1.0  # seconds between polls, in case another host decides it

LEFT = "An earlier turn left this question, and nobody was asked it. Ask it yourself if it still matters."


class Questions:
    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        new_questions: NewQuestions,
        waits: Waits,
        copies: Copies,
        session_requests: SessionRequests,
        locale: Locale,
        usual_timeout: timedelta,
        hold: float,
    ) -> None:
        """`hold` is how many seconds a turn keeps its box while it waits."""
        self._store = store
        self._engine = engine
        self._waits = waits
        store.after_commit.tells(waits.hear)
        self._new_questions = new_questions
        self._copies = copies
        self._session_requests = session_requests
        self._locale = locale
        self._usual_timeout = usual_timeout
        self._hold = hold

    async def answer(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        """The tool `request_human`: asks, and waits as long as that is worth a box."""
        if asking.is_left and not await self._store.read(
            lambda tx: questions.find(tx, session.id, asking.id)
        ):
            return ToolReply(ok=False, text=LEFT, data={"refused": "left"})
        try:
            wanted = read_wanted(
                asking.given(RequestHuman), usual_timeout=self._usual_timeout, harmless=group.harmless
            )
            wanted = replace(wanted, skill=asking.skill or wanted.skill)
            document = await self._keep(wanted, session, group)
            question = await self.ask(wanted, await self.asker(session, group, asking.id), document)
        except (BadToolRequest, CannotSend) as error:
            return ToolReply(ok=False, text=str(error), data={"refused": "arguments"})
        asking.noted()
        question, is_new = await self.attend(question, is_live=bool(asking.turn and asking.turn.is_live))
        told = reply(question, await self.clock_of(question, group))
        return told if is_new else replace(told, text=CAME_ALREADY)

    async def ask_for_program(self, given: Mapping[str, Any], group: Group) -> Question:
        """A program of this machine asks; the same `id` again is the same question."""
        asked_id = given.get("id") or new_id("a")
        asker = Asker(asked_id=asked_id, group=group.name, company=group.company)
        try:
            if (session := given.get("session")) is not None:
                wanted = await self._session_requests.wanted(
                    read_session_request(given, session), group, given.get("skill", "")
                )
            else:
                wanted = read_program_request(given, asked_id, group, self._usual_timeout)
            return await self.ask(wanted, asker)
        except BadToolRequest as error:
            raise Refused("said", said=str(error)) from error

    async def asker(self, session: Session, group: Group, asked_id: str) -> Asker:
        """The running turn of this session, which waits for the answer on this host."""
        turn = await self._store.read(lambda tx: session_queue.open_turn(tx, session.id))
        return Asker(
            session_id=session.id,
            execution_id=turn[0] if turn else session.id,
            asked_id=asked_id,
            group=group.name,
            company=group.company,
            thread=session.thread,
            chat_id=session.chat_id,
            host=self._engine.host,
            chain_id=session.chain_id,
        )

    async def clock_of(self, question: Question, group: Group) -> Locale:
        """The clock of the person who woke the asking turn, so that its prompt and tools agree. A task has
        its own clock.
        """

        def look(tx: Tx) -> Locale:
            session = sessions.get(tx, question.session_id) if question.session_id else None
            task = tasks.get(tx, session.task) if session and session.task else None
            if task:
                return Locale(timezone=task.schedule.timezone)
            said = session_queue.messages_of(tx, TurnId(question.execution_id))
            person = person_behind(tx, said[0]) if said else None
            return Locale(language=person.language, timezone=person.timezone) if person else Locale()

        return (await self._store.read(look)).or_else(group.locale).or_else(self._locale)

    async def ask(self, wanted: NewQuestion, asker: Asker, document: Document | None = None) -> Question:
        """Ask a question; it is stored and shown when this returns. Raises BadToolRequest."""
        question = None
        try:
            question = await self._store.write(
                lambda tx: self._new_questions.open(tx, wanted, asker, document, now())
            )
        finally:
            if document and (question is None or question.document != document.kept):
                self._copies.forget(document.kept)  # it was refused, or asked before
        return question

    async def attend(self, question: Question, *, is_live: bool = False) -> tuple[Question, bool]:
        """The answer, if it comes while waiting is worthwhile; otherwise the question, still open. False if
        the answer has already reached the session as a message. An agent at a terminal waits without
        limit: it takes no place, and has no turn that the answer could wake.
        """
        if is_live:
            with self._waits.on(question.id):
                await self.wait(question.id, math.inf)
                return await self._store.write(lambda tx: self._taken(tx, question))
        session_id = question.session_id or SessionId("")

        # Until the answer is taken: a turn that has heard of it may still be waiting for its place.
        with self._waits.on(question.id):
            is_waited_for = await self._store.read(
                lambda tx: session_queue.waiting_in(tx, session_id, 1, now())
            )
            # A person wrote something else before the question was asked.
            if not is_waited_for:
                await self._wait_beside(question.id, session_id)
            return await self._store.write(lambda tx: self._taken(tx, question))

    @staticmethod
    def _taken(tx: Tx, question: Question) -> tuple[Question, bool]:
        is_new = questions.leave(tx, question.id) or questions.carry(tx, question.id, now())
        return questions.get(tx, question.id) or question, is_new

    async def _wait_beside(self, question_id: str, session_id: SessionId) -> None:
        """Lend the turn's place to others meanwhile, so that no message waits while someone thinks about a
        question. It gets a place again before the agent gets the answer. The number of turns that wait
        like this is limited.
        """
        lane = (await self._store.read(lambda tx: sessions.get(tx, session_id))).lane if session_id else ""
        with self._waits.turn(session_id):
            async with self._engine.place_lent(lane, session_id):
                await self.wait(question_id, self._hold, session_id)

    async def wait(self, question_id: str, seconds: float, session_id: str = "") -> Question:
        """Until it is decided, time is up, or someone writes something else to the session."""
        until = time.monotonic() + seconds
        with self._waits.on(question_id, session_id) as wait:
            while True:
                wait.news.clear()
                question = await self.get(question_id)
                left = until - time.monotonic()
                if not question.is_open or wait.over or left <= 0:
                    return question
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(left, _SURE_LOOK) if self._store.shared else left):
                        await wait.news.wait()

    async def get(self, question_id: str) -> Question:
        found = await self._store.read(lambda tx: questions.get(tx, question_id))
        if found is None:
            raise NotFound("no-such-question", id=question_id)
        return found

    async def _keep(self, wanted: NewQuestion, session: Session, group: Group) -> Document | None:
        if wanted.document is None:
            return None
        kept, sha256 = await self._copies.keep_one(wanted.document, session.id, group.name)
        return Document(kept=kept, sha256=sha256)
