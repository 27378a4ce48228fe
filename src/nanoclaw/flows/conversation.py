"""Flow A. The messages that wait in a session become one turn: an agent answers, and the answer is posted.

The turn is written down when it begins and when it ends, and nowhere in between. If the host dies while it runs, the
same turn runs again: its answer is posted in the transaction that ends it, so it is posted once.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

import structlog

from nanoclaw.admission.commands import read_order
from nanoclaw.context import wording
from nanoclaw.context.brief import Briefing
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Choice, Shelf
from nanoclaw.delivery import outbox
from nanoclaw.delivery.growth import Growth
from nanoclaw.delivery.live import Live, MessageChanged, TurnRuns
from nanoclaw.domain.errors import BadWorkspace, LeaseLost, ModelFailed, NanoClawError
from nanoclaw.domain.ids import ChatId, SessionId, TurnId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, Message
from nanoclaw.domain.parcels import Author, Preview
from nanoclaw.domain.ports import Channel, Runtime
from nanoclaw.domain.text import storable, without_internal
from nanoclaw.domain.turns import Exchange, RuntimeEvent, Session, TurnRequest, TurnState
from nanoclaw.durable import inbox, people, sessions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.timeline import Event, note_all
from nanoclaw.durable.work import Claim
from nanoclaw.texts import say, tell

log = structlog.get_logger("conversation")

_MOST_MESSAGES = 100  # in one turn; the rest join the next
_MOST_ATTEMPTS = 6  # the first, and five more
_REMEMBERED = 20  # earlier turns that the agent sees again


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """All that was gathered when the turn was claimed."""

    id: TurnId
    session: Session
    chat: Chat
    messages: tuple[Message, ...]
    history: tuple[Exchange, ...]
    woken_by: Locale
    steps: list[tuple[Event, datetime, dict[str, object]]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Result:
    """How the turn went: what to say in the chat, and what to remember of it."""

    state: TurnState
    said: str
    answer: str = ""
    prompt: str = ""
    skill: str | None = None


class Conversation:
    """The work of kind "turn"; its key is the session, which is why a session has one turn at a time."""

    kind = work.TURN

    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        live: Live,
        channels: Mapping[str, Channel],
        runtimes: Mapping[str, Runtime],
        groups: Groups,
        shelf: Shelf,
        briefing: Briefing,
        locale: Locale,
        at_once: int,
        batch_window: timedelta,
        longest_silence: float,
    ) -> None:
        self.at_once = at_once
        self._store = store
        self._engine = engine
        self._live = live
        self._channels = channels
        self._runtimes = runtimes
        self._groups = groups
        self._shelf = shelf
        self._briefing = briefing
        self._locale = locale
        self._batch_window = batch_window
        self._longest_silence = longest_silence

    def begin(self, tx: Tx, claim: Claim) -> Turn | None:
        session = sessions.get(tx, claim.key)
        turn_id = inbox.open_turn(tx, session.id)
        if turn_id is not None:
            waiting = inbox.messages_of(tx, turn_id)
            note_all(tx, turn_id, [(Event.STARTED_AGAIN, now(), {"attempt": claim.attempt})])
        else:
            waiting = inbox.waiting_in(tx, session.id, _MOST_MESSAGES)
            if not waiting:
                return None
            turn_id = inbox.begin_turn(tx, session.id, waiting, now())
            note_all(tx, turn_id, [(Event.STARTED, now(), {"messages": len(waiting)})])
        chat = people.chat(tx, session.chat_id)
        if chat is None:
            raise BadWorkspace("chat-gone", session=session.id)
        sender = people.person(tx, waiting[0].person_id)
        return Turn(
            id=turn_id,
            session=session,
            chat=chat,
            messages=tuple(waiting),
            history=sessions.exchanges(tx, session.id, _REMEMBERED),
            woken_by=Locale(language=sender.language, timezone=sender.timezone),
        )

    async def run(self, job: Turn, claim: Claim) -> datetime | None:
        with structlog.contextvars.bound_contextvars(turn=job.id, message=job.messages[-1].id):
            self._show(job, on=True)
            try:
                result = await self._result(job, claim)
                again = await insist(
                    self._store,
                    partial(self._end, turn=job, claim=claim, result=result),
                    told=lambda why: log.warning("turn not recorded yet", reason=str(why)),
                )
            finally:
                self._show(job, on=False)
            self._engine.kick(work.DELIVERY, job.chat.id)
            return again

    async def _result(self, turn: Turn, claim: Claim) -> _Result:
        """Run the agent. Whatever goes wrong in there ends here, as something that the person is told."""
        if claim.attempt > _MOST_ATTEMPTS:
            return self._failed(turn, ModelFailed("too-many-attempts", attempts=_MOST_ATTEMPTS))
        try:
            return await self._ask_agent(turn)
        except TimeoutError:
            return self._failed(turn, ModelFailed("agent-silent", seconds=round(self._longest_silence)))
        except (ModelFailed, BadWorkspace) as error:
            return self._failed(turn, error)
        except LeaseLost:
            raise
        except Exception as error:  # the one place: any other fault of an agent is told, not swallowed
            log.exception("turn failed")
            return self._failed(turn, ModelFailed("unexpected", said=type(error).__name__))

    async def _ask_agent(self, turn: Turn) -> _Result:
        group = self._groups.get(turn.session.group)
        choice = self._choose_skill(turn, group.skill)
        skill = choice.skill
        runtime_name = (skill and skill.head.runtime) or group.runtime
        prompt = wording.put(turn.messages, self._locale_of(turn))
        request = TurnRequest(
            turn_id=turn.id,
            session_id=turn.session.id,
            group=group.name,
            model=skill.head.model if skill else "sonnet",
            brief=self._briefing.brief(group, skill),
            history=turn.history,
            prompt=prompt,
        )
        runtime = self._runtimes.get(runtime_name)
        if runtime is None:
            raise ModelFailed("runtime-missing", runtime=runtime_name)
        name = skill.name if skill else group.skill
        turn.steps.append(
            (Event.CHOSEN, now(), {"runtime": runtime_name, "skill": name, "reason": choice.reason})
        )
        answer = storable(await self._listen(turn, runtime.run(request)))
        said = without_internal(answer)
        if not said:
            turn.steps.append((Event.SILENT, now(), {}))
            return _Result(state=TurnState.SILENT, said="", answer=answer, prompt=prompt, skill=name)
        turn.steps.append((Event.FINISHED, now(), {"length": len(said)}))
        return _Result(state=TurnState.ANSWERED, said=said, answer=answer, prompt=prompt, skill=name)

    async def _listen(self, turn: Turn, events: AsyncIterator[RuntimeEvent]) -> str:
        """Follow the agent to the end of its answer, and show the answer as it grows."""
        blank = Preview(
            chat_id=ChatId(turn.session.chat_id),
            address=turn.chat.address,
            thread=turn.session.thread,
            turn_id=turn.id,
            text="",
        )
        growth = Growth(self._channels.get(turn.chat.channel), blank)
        silent = True
        while True:
            try:
                async with asyncio.timeout(self._longest_silence):
                    event = await anext(events)
            except StopAsyncIteration:
                return growth.text
            if silent:
                silent = False
                turn.steps.append((Event.FIRST_TOKEN, now(), {}))
            await growth.add(event.text)

    def _end(self, tx: Tx, *, turn: Turn, claim: Claim, result: _Result) -> datetime | None:
        """The end of the turn and its answer are one fact. Without the lease none of it is written.

        The rows are locked in the order in which an arriving message locks them, the row of work last: in another
        order the two would wait for each other on PostgreSQL.
        """
        inbox.end_turn(
            tx,
            turn.id,
            result.state,
            skill=result.skill,
            prompt=result.prompt,
            answer=result.answer,
            at=now(),
        )
        if result.said:
            outbox.post(
                tx,
                chat_id=turn.chat.id,
                thread=turn.session.thread,
                author=Author.HOST if result.state is TurnState.FAILED else Author.AGENT,
                text=result.said,
                at=now(),
                turn_id=turn.id,
                message_id=turn.messages[-1].id,
            )
        note_all(tx, turn.id, turn.steps)
        return work.finish(tx, claim, again_at=self._rest(tx, turn.session.id))

    def _rest(self, tx: Tx, session_id: SessionId) -> datetime | None:
        """Messages that came meanwhile are a burst: give it a moment to end, so that they join one turn."""
        waiting = inbox.waiting_in(tx, session_id, 1)
        return max(now(), waiting[0].received_at + self._batch_window) if waiting else None

    def _choose_skill(self, turn: Turn, default: str) -> Choice:
        orders = (read_order(message.text) for message in reversed(turn.messages))
        command = next((order.name for order in orders if order), None)
        return self._shelf.choose(command, default)

    def _locale_of(self, turn: Turn) -> Locale:
        """Of the person who woke the agent, then the group's, then the workspace's."""
        return turn.woken_by.or_else(self._groups.locale_of(turn.session.group)).or_else(self._locale)

    def _failed(self, turn: Turn, error: NanoClawError) -> _Result:
        language = self._locale_of(turn).speaks
        turn.steps.append((Event.FAILED, now(), {"error": error.key, **error.values}))
        return _Result(
            state=TurnState.FAILED, said=say(language, "turn-failed", reason=tell(language, error))
        )

    def _show(self, turn: Turn, *, on: bool) -> None:
        """Those who watch the chat see that the agent works, and how each message stands."""
        self._live.tell(turn.chat.id, TurnRuns(turn.id, on))
        if self._live.watched(turn.chat.id):
            for message in turn.messages:
                self._live.tell(turn.chat.id, MessageChanged(message.id))
