"""A handoff inside a session: a sub-agent works within the sender's turn, and its answer is the reply of the
tool.

It has the instructions and model of its skill, none of the sender's conversation, and at most the sender's
tools. Its loop runs in the host whatever runtime the sender has; its commands run in boxes of the sender's
session.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial

from nanoclaw.context.preparation import Preparation
from nanoclaw.domain.bounds import MOST_RESULT, cut
from nanoclaw.domain.budgets import BUDGET_HELD
from nanoclaw.domain.errors import BoxRefused, ModelFailed, ModelOutage, NanoClawError, Refused, TurnStuck
from nanoclaw.domain.handoffs import Handoff, HandoffState
from nanoclaw.domain.ids import MessageId, TurnId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.messages import Message
from nanoclaw.domain.narrowed_grants import narrowed
from nanoclaw.domain.ports import Runtime
from nanoclaw.domain.text import without_internal
from nanoclaw.domain.tools import TOOLS
from nanoclaw.domain.turns import AnswerCut, FollowUps, TextDelta, TextWritten, ToolStarted, TurnRequest
from nanoclaw.durable import handoffs, people, session_queue, sessions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.handoffs.ends import HandoffEnds
from nanoclaw.flows.handoffs.given_work import note_for, text_of, told_sender
from nanoclaw.flows.human.waits import Waits
from nanoclaw.runtimes.silence_watch import Patience, watched
from nanoclaw.texts import say

# A second agent inside a Claude Code process could not be told apart by its tools and cost.
_IN_THEIR_PLACE = {"claude-code": "native"}
_ENDED_BY_THEN = 60.0  # seconds in which a cancelled turn and whatever it waits for must end
_BRINGS_OUTSIDE = "read_document"


@dataclass(kw_only=True, slots=True)
class SubAgents:
    store: Store
    ends: HandoffEnds
    waits: Waits
    patience: Patience
    # Set later: it is made after the host's tools.
    preparation: Preparation | None = None
    runtimes: Mapping[str, Runtime] = field(default_factory=dict)

    async def run(self, made: Sequence[Handoff], parent: TurnRequest | None) -> tuple[bool, str]:
        """Run all of them at once; returns what the sender is told. One that ended before a crash is not repeated."""
        if parent is None:
            return False, "There is no turn that could wait for it."
        left = [each for each in made if each.state is not HandoffState.DONE]
        with self.waits.excused(parent.session_id):  # they have their own patience
            running = [asyncio.create_task(self._run(each, parent)) for each in left]
            try:
                held = [error for error in await asyncio.gather(*running) if error]
            finally:  # if one cannot continue, the others must not work for nobody
                for each in running:
                    each.cancel()
        if held:  # no reply is read: the sender waits for money too, and hands over again when there is some
            self.waits.hinder(parent.session_id, held[0])
            await asyncio.sleep(
                _ENDED_BY_THEN
            )  # its agent gets no reply, which it would take for the end of the matter
        ended = [await self._read(each.id) for each in made]
        return all(each.state is HandoffState.DONE for each in ended), told_sender(ended)

    async def _read(self, handoff_id: str) -> Handoff:
        found = await self.store.read(lambda tx: handoffs.get(tx, handoff_id))
        if found is None:
            raise Refused("handoff-unknown", id=handoff_id)
        return found

    async def _run(self, handoff: Handoff, parent: TurnRequest) -> NanoClawError | None:
        """Run one; returns the error if it must wait for money."""
        listened, held = _Listened(), None
        try:
            if handoff.expires_at <= now():
                raise Refused("handoff-expired", at=handoff.expires_at.isoformat(timespec="seconds"))
            request, runtime, is_trusted = await self._prepare(handoff, parent)
            listened.is_mixed = not is_trusted
            events = watched(runtime.run(request, FollowUps()), self.patience)
            async with aclosing(events) as followed:
                async for event in followed:
                    listened.hear(event)
                    if isinstance(event, ToolStarted) and (await self._read(handoff.id)).state.is_over:
                        break  # a person cancelled it
        except (ModelFailed, ModelOutage, TurnStuck, Refused, BoxRefused) as error:
            held = error if error.key == BUDGET_HELD else None
            why = {"key": error.key, **{name: _plain(value) for name, value in error.values.items()}}
            end = partial(self._end, handoff=handoff, listened=listened, why=why, is_held=held is not None)
        else:
            end = partial(self._end, handoff=handoff, listened=listened, why=None)
        await self.store.write(end)
        return held

    async def _prepare(self, handoff: Handoff, parent: TurnRequest) -> tuple[TurnRequest, Runtime, bool]:
        """The last value says whether everything recalled for it can be trusted."""
        if self.preparation is None:
            raise ModelFailed("runtime-missing", runtime="sub-agent")

        session, person, chat = await self.store.read(
            lambda tx: (
                sessions.get(tx, handoff.from_session),
                people.person(tx, handoff.person_id),
                people.chat(tx, handoff.chat_id),
            )
        )
        message = Message(
            id=MessageId(handoff.id),
            chat_id=handoff.chat_id,
            person_id=handoff.person_id,
            sender=handoff.from_skill,
            text=text_of(handoff),
            sent_at=now(),
            received_at=now(),
            reply_to=None,
            end=None,
            reason=None,
        )
        locale = self.preparation.locale_of(
            session, Locale(language=person.language, timezone=person.timezone)
        )
        prepared = await self.preparation.prepare(
            turn_id=TurnId(parent.turn_id),
            session=session,
            messages=[message],
            history=(),
            locale=locale,
            command=None,
            again=False,
            acts_as=handoff.to_skill,
            speaker=parent.speaker,
            handle=parent.person,
            is_own=parent.is_own,
            is_stranger=parent.is_stranger,
            notes=[note_for(handoff)],
            memory=chat.memory if chat else MemoryMode.OFF,
        )
        if prepared.request.skill != handoff.to_skill:
            raise Refused("handoff-skill-gone", skill=handoff.to_skill)
        name = _IN_THEIR_PLACE.get(prepared.runtime, prepared.runtime)
        runtime = self.runtimes.get(name)
        if runtime is None:
            raise ModelFailed("runtime-missing", runtime=name)
        request = replace(
            prepared.request,
            grants=narrowed(prepared.request.grants, handoff.grants),
            flow=parent.flow if parent.chain_id and not parent.handoff_id else "C",
            chain_id=handoff.chain_id,
            step=parent.step,
            step_budget=parent.step_budget,
            handoff_id=handoff.id,
            task_id=parent.task_id,
        )
        return request, runtime, prepared.found.recalled.is_trusted

    def _end(
        self,
        tx: Tx,
        *,
        handoff: Handoff,
        listened: "_Listened",
        why: dict[str, object] | None,
        is_held: bool = False,
    ) -> None:
        """`is_held`: it has not failed; the sender will hand it over again."""
        if listened.is_mixed and handoff.from_turn:  # before the sender reads it
            session_queue.mix(tx, handoff.from_turn)
        current = handoffs.locked(tx, handoff.id) or handoff
        if current.state is HandoffState.CANCELLED:
            return
        state = HandoffState.DONE
        if why:
            state = HandoffState.CANCELLED if is_held else HandoffState.FAILED
        said = None if why else cut(without_internal(listened.said), MOST_RESULT)
        self.ends.end(tx, current, state, now(), result=said, why=why)


@dataclass(kw_only=True, slots=True)
class _Listened:
    """What a sub-agent said last, and whether it read something that no member said."""

    said: str = ""
    is_mixed: bool = False

    def hear(self, event: object) -> None:
        match event:
            case TextDelta(text=text):
                self.said += text
            case TextWritten(text=text):
                self.said = text
            case AnswerCut():
                self.said += f"\n\n[{say('en', 'answer-cut-by-budget')}]"
            case ToolStarted(name=name):
                self.said = ""  # earlier text was only on the way to the answer
                self.is_mixed = self.is_mixed or name not in TOOLS or name == _BRINGS_OUTSIDE
            case _:
                pass


def _plain(value: object) -> object:
    return value if isinstance(value, int | float | str | bool) else str(value)
