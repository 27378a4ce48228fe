"""Turns in the room of a live session: with the model, folder and instructions of its request."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import Question
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import live_sessions, memberships, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import Turn, is_result
from nanoclaw.flows.human.session_ends import SessionEnds
from nanoclaw.flows.live.room import is_room
from nanoclaw.flows.live.sessions import equipped, wanted_model
from nanoclaw.flows.turns.kind import Follower, TurnKind


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveTurns(TurnKind):
    """Turns outside such rooms are left to `others`."""

    store: Store
    session_ends: SessionEnds
    others: TurnKind
    leave_terminal: Callable[[str], Awaitable[None]]  # of a session, unless someone looks at it

    def is_special(self, turn: Turn) -> bool:
        return is_room(turn.chat) or self.others.is_special(turn)

    async def begin(self, turn: Turn) -> None:
        question = await self._question(turn)
        if question is None:
            await self.others.begin(turn)
            return
        turn.acts_as = turn.acts_as or question.skill or None
        turn.wanted_model = wanted_model(question)
        turn.may_ask_first = False  # they are already talking
        said = "\n".join(message.text for message in turn.messages if not is_result(message))
        if said and not turn.again:
            await self.store.write(lambda tx: self._overhear(tx, turn, question.id, said))

    def notes(self, turn: Turn) -> list[str]:
        return [] if is_room(turn.chat) else self.others.notes(turn)

    async def check(self, turn: Turn, request: TurnRequest) -> TurnRequest | None:
        question = await self._question(turn)
        return await self.others.check(turn, request) if question is None else equipped(request, question)

    def follower(self, turn: Turn) -> Follower | None:
        return None if is_room(turn.chat) else self.others.follower(turn)

    def answered(self, tx: Tx, turn: Turn, said: str) -> None:
        live = live_sessions.in_chat(tx, turn.chat.id) if is_room(turn.chat) else None
        question = questions.locked(tx, live.question_id) if live else None
        if question is None:
            self.others.answered(tx, turn, said)
        else:
            self.session_ends.proposed(tx, question, said, turn.session.group, now())

    def held(self, turn: Turn, outage: NanoClawError, language: str) -> str | None:
        return None if is_room(turn.chat) else self.others.held(turn, outage, language)

    def _overhear(self, tx: Tx, turn: Turn, question_id: str, said: str) -> None:
        question = questions.locked(tx, question_id)
        rights = memberships.rights_of(tx, turn.speaker)
        by = Actor.of(turn.speaker, rights, via=turn.chat.channel, language=turn.woken_by.speaks)
        if question:
            self.session_ends.overheard(tx, question, said, by, now())

    async def _question(self, turn: Turn) -> Question | None:
        """None if this is not the room of a live session. Raises Refused if it is over, or continues in a
        terminal.
        """
        if not is_room(turn.chat):
            return None

        def look(tx: Tx) -> tuple[Question | None, bool]:
            live = live_sessions.in_chat(tx, turn.chat.id)
            if live is None:
                return None, False
            return questions.get(tx, live.question_id), live_sessions.is_in_terminal(tx, live)

        question, is_in_terminal = await self.store.read(look)
        if question and is_in_terminal:
            await self.leave_terminal(question.id)
            question, is_in_terminal = await self.store.read(look)
        if question and not question.is_open:
            raise Refused("session-over")
        if is_in_terminal:
            raise Refused("session-in-terminal")
        return question
