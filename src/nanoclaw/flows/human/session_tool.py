"""The tool `request_session`: an agent asks for a session with a person, and continues when it is concluded."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nanoclaw.context.groups import Group
from nanoclaw.domain.interactive_requests import RequestSession
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.domain.tool_requests import BadToolRequest, ToolReply, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import live_sessions, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.human.answer_text import reply
from nanoclaw.flows.human.interaction_xml import as_xml
from nanoclaw.flows.human.questions import CAME_ALREADY, LEFT, Questions
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.session_requests import SessionRequests

_BY_AGENT = "agent"
_NOT_HERE = "You have asked for no session with this id, or it has ended."
_BESIDE = "Go on with what does not depend on it: the result will wake you."


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionTool:
    store: Store
    questions: Questions
    session_requests: SessionRequests
    resolution: Resolution

    async def answer(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        """Wait as long as that is worth a box, unless the agent wants to continue meanwhile."""
        given = asking.given(RequestSession)
        if given.cancel is not None:
            return await self._take_back(given.cancel, session, group)
        if asking.is_left and not await self.store.read(lambda tx: questions.find(tx, session.id, asking.id)):
            return ToolReply(ok=False, text=LEFT, data={"refused": "left"})
        try:
            wanted = await self.session_requests.wanted(given, group, asking.skill)
            asker = await self.questions.asker(session, group, asking.id)
            if not given.blockOrchestration:
                asker = replace(asker, host=None)  # nobody waits: the result wakes the session
            question = await self.questions.ask(wanted, asker)
        except BadToolRequest as error:
            return ToolReply(ok=False, text=str(error), data={"refused": "arguments"})
        asking.noted()
        if not given.blockOrchestration:
            return await self._told(question, group, beside=True)
        question, is_new = await self.questions.attend(question)
        told = await self._told(question, group)
        return told if is_new else replace(told, text=CAME_ALREADY)

    async def _told(self, question: Question, group: Group, *, beside: bool = False) -> ToolReply:
        live = await self.store.read(lambda tx: live_sessions.get(tx, question.id))
        told = reply(question, await self.questions.clock_of(question, group))
        sentence = _BESIDE if beside and question.is_open else told.text
        return replace(
            told, text=f"{sentence}\n\n{as_xml(question, live)}", data={**told.data, **result(question)}
        )

    async def _take_back(self, ref: str, session: Session, group: Group) -> ToolReply:
        def story(tx: Tx) -> Question | None:
            found = next(
                (each for each in questions.open_of(tx, session.id) if ref in (each.id, each.asked_id)), None
            )
            if found is None or found.kind is not QuestionKind.INTERACTIVE:
                return None
            return _cancelled(tx, self.resolution, found, group, now())

        ended = await self.store.write(story)
        if ended is None:
            return ToolReply(ok=False, text=_NOT_HERE, data={"refused": "arguments"})
        return await self._told(ended, group)


def result(question: Question) -> Mapping[str, Any]:
    """The result as programs in the box read it."""
    return {
        "session_id": question.id,
        "outcome": question.status.value,
        "response": question.concluded,
        "notes": question.user_input,
        "transcript": question.transcript,
        "duration": question.duration_ms,
        "error": question.error,
    }


def _cancelled(tx: Tx, resolution: Resolution, question: Question, group: Group, at: datetime) -> Question:
    """Cancel without waking anybody: the agent that took it back knows."""
    by = Actor(
        handle=f"{_BY_AGENT}:{group.name}",
        name=group.name,
        rights=Rights(everywhere=Role.STRANGER),
        via=_BY_AGENT,
        language="en",
    )
    questions.carry(tx, question.id, at)
    resolution.cancel(tx, question, by, at)
    return questions.get(tx, question.id) or question
