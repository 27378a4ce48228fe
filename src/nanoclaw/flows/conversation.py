"""Flow A. The messages waiting in a session become one turn: an agent answers, and the answer is posted.

The turn is stored when it begins, when messages join it, and when it ends. If the host dies while it runs,
the same turn runs again: its answer is posted in the transaction that ends it, and so only once.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile

import structlog

from nanoclaw.admission.commands import command_in
from nanoclaw.context.preparation import Preparation, Prepared
from nanoclaw.delivery import outbox
from nanoclaw.delivery.live import Live, TurnRuns
from nanoclaw.delivery.turn_recorder import TurnRecorder
from nanoclaw.domain.bounds import MOST_ANSWER
from nanoclaw.domain.budgets import BUDGET_HELD
from nanoclaw.domain.errors import (
    BoxRefused,
    LeaseLost,
    ModelFailed,
    ModelOutage,
    NanoClawError,
    Refused,
    StoreUnavailable,
    TurnStuck,
)
from nanoclaw.domain.ids import MessageId, PersonId, SessionId
from nanoclaw.domain.interactive_signal import read_signal, shown_of
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Message
from nanoclaw.domain.news import MessageChanged
from nanoclaw.domain.parcels import RETRY, Author, Button, Preview
from nanoclaw.domain.people import Speaker
from nanoclaw.domain.ports import Channel, Runtime
from nanoclaw.domain.silence import Silence
from nanoclaw.domain.text import is_empty, without_internal
from nanoclaw.domain.tools import TOOLS
from nanoclaw.domain.turns import (
    FollowUp,
    RuntimeEvent,
    Session,
    TookUp,
    ToolStarted,
    TurnState,
)
from nanoclaw.durable import budgets, memory_uses, session_queue, sessions, timeline, work
from nanoclaw.durable.after_commit import announce, get_ready
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine, Place
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.timeline import Event, note_all
from nanoclaw.durable.turns import (
    MOST_MESSAGES,
    Turn,
    TurnResult,
    gather,
    said_by_others,
    speakers_in,
    together,
)
from nanoclaw.durable.work import Claim
from nanoclaw.flows.human.answer_text import reminded
from nanoclaw.flows.human.waits import Waits
from nanoclaw.flows.knowledge.activity import TurnMemory
from nanoclaw.flows.transfers.notes import TransferNotes
from nanoclaw.flows.turns import first_questions
from nanoclaw.flows.turns.first_questions import FirstQuestions
from nanoclaw.flows.turns.kind import TurnKind
from nanoclaw.runtimes.silence_watch import Patience, watched
from nanoclaw.texts import say, tell

log = structlog.get_logger("conversation")

_DOCUMENTS = "read_document"
_MOST_ATTEMPTS = 6  # the first and five retries


_Ending = Callable[[Tx], datetime | None]
"""What to write at the end of a run; returns when to continue."""


class Conversation:
    """The work of one lane; its key is the session, so a session has one turn at a time."""

    def __init__(
        self,
        *,
        kind: str = work.TURN,
        store: Store,
        engine: Engine,
        live: Live,
        channels: Mapping[str, Channel],
        runtimes: Mapping[str, Runtime],
        preparation: Preparation,
        at_once: int,
        batch_window: timedelta,
        patience: Patience,
        waits: Waits,
        turns: TurnKind | None = None,
        memory: TurnMemory | None = None,
        first_questions: FirstQuestions | None = None,
        transfer_notes: TransferNotes | None = None,
    ) -> None:
        self.kind = kind
        self.at_once = at_once
        self._store = store
        self._engine = engine
        self._live = live
        self._channels = channels
        self._runtimes = runtimes
        self._preparation = preparation
        self._batch_window = batch_window
        self._patience = patience
        self._waits = waits
        self._turns = turns or TurnKind()
        self._memory = memory
        self._first_questions = first_questions
        self._transfer_notes = transfer_notes
        self._running: dict[str, tuple[Turn, asyncio.Task[TurnResult]]] = {}
        self._looks: set[asyncio.Task[None]] = set()

    def begin(self, tx: Tx, claim: Claim) -> Turn | None:
        turn = gather(tx, claim)
        if turn and turn.is_own and not self._turns.is_special(turn):
            get_ready(tx, partial(self._begin_preparing, turn))
        return turn

    async def run(self, job: Turn, claim: Claim) -> datetime | None:
        with structlog.contextvars.bound_contextvars(turn=job.id, message=job.messages[-1].id):
            self._show(job, on=True)
            channel, blank = self._channel(job), _blank(job)
            if channel:
                channel.show_working(blank, again=job.again)
            try:
                end = await self._run(job, claim)
                return await self._engine.write_and_start(
                    job.then.kind if job.then else work.DELIVERY,
                    lambda place: insist(
                        self._store,
                        partial(self._write_end, turn=job, end=end, place=place),
                        told=lambda why: log.warning("turn not recorded yet", reason=why),
                        at_once=True,
                    ),
                )
            finally:
                self._show(job, on=False)
                if channel:
                    channel.show_rest(blank, said=job.says_something)

    async def close(self) -> None:
        for look in self._looks:
            look.cancel()
        await asyncio.gather(*self._looks, return_exceptions=True)

    def look_again(self, key: str) -> None:
        """Handle a message for a running turn, or a request to stop it."""
        if key in self._running:
            look = asyncio.create_task(self._look(*self._running[key]))
            self._looks.add(look)  # keep a reference, or it may be garbage-collected midway
            look.add_done_callback(self._looks.discard)

    async def _look(self, turn: Turn, task: asyncio.Task[TurnResult]) -> None:
        session_id = turn.session.id

        def read(tx: Tx) -> tuple[Session, bool, list[Message], dict[PersonId, Speaker]]:
            come = session_queue.waiting_in(tx, session_id, MOST_MESSAGES, now())
            ours = together(tx, come, turn.speaker)
            return (
                sessions.get(tx, session_id),
                bool(come),
                ours,
                speakers_in(tx, turn.chat, turn.session, ours),
            )

        session, anyone_waits, ours, speakers = await self._store.read(read)
        if turn.is_over(session):
            turn.stopped = True
            task.cancel()
            return
        # A command chooses its own skill: it gets its own turn, and so does what follows it.
        plain = takewhile(lambda message: message.is_ready and command_in(message) is None, ours)
        fresh = [message for message in plain if message.id not in turn.offered]
        if fresh:
            turn.offered |= {message.id: message for message in fresh}
            prompt = self._preparation.worded(fresh, self._locale_of(turn), speakers)
            turn.follow_ups.offer(FollowUp(messages=tuple(message.id for message in fresh), prompt=prompt))
        if anyone_waits:  # no message should wait behind a question that someone else is thinking about
            self._waits.let_go(session_id)

    async def _run(self, turn: Turn, claim: Claim) -> _Ending:
        """Run the agent. Every error in it is caught here and told to the person."""
        if turn.is_over(turn.session):
            return self._ending(turn, claim, self._stopped(turn))
        if claim.attempt > _MOST_ATTEMPTS:
            failed = self._failed(turn, ModelFailed("too-many-attempts", attempts=_MOST_ATTEMPTS))
            return self._ending(turn, claim, failed)
        task = asyncio.create_task(self._ask_agent(turn))
        self._running[turn.session.id] = turn, task
        try:
            result = await task
        except asyncio.CancelledError:
            # The host is stopping: the agent must let go of its box before the box goes too.
            if not turn.stopped:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                raise
            result = self._stopped(turn)
        except ModelOutage as outage:
            turn.says_something = False  # it may last: remove what was shown
            return partial(self._hold, turn=turn, claim=claim, outage=outage)
        except TurnStuck as stuck:
            return partial(self._try_again, turn=turn, claim=claim, stuck=stuck)
        except (ModelFailed, Refused, BoxRefused) as error:
            result = self._failed(turn, error)
        except (LeaseLost, StoreUnavailable):
            raise  # StoreUnavailable: the engine tries again when the database is back
        except Exception as error:  # any other error of an agent is reported to the person, not swallowed
            log.exception("turn failed")
            result = self._failed(turn, ModelFailed("unexpected", said=type(error).__name__))
        finally:
            del self._running[turn.session.id]
        return self._ending(turn, claim, result)

    def _begin_preparing(self, turn: Turn) -> None:
        """Start preparing early. If the turn is never taken up, the result is dropped."""
        with structlog.contextvars.bound_contextvars(turn=turn.id, message=turn.messages[-1].id):
            turn.preparing = asyncio.create_task(self._prepare_alone(turn))
        turn.preparing.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _prepare_alone(self, turn: Turn) -> Prepared | None:
        """None if preparing would ask a model: no model is asked before the turn is stored."""
        return None if self._preparation.may_ask(turn.session) else await self._prepare(turn)

    async def _prepare(self, turn: Turn) -> Prepared:
        commands = map(command_in, reversed(turn.messages))
        return await self._preparation.prepare(
            turn_id=turn.id,
            session=turn.session,
            messages=turn.messages,
            history=turn.history,
            locale=self._locale_of(turn),
            command=next((command.name for command in commands if command), None),
            again=turn.again,
            channel=turn.chat.channel,
            overheard=turn.overheard,
            speakers=turn.speakers,
            acts_as=turn.acts_as,
            step=turn.wanted_model,
            task=turn.task,
            speaker=turn.speaker.id,
            handle=turn.speaker.handle,
            is_own=turn.is_own,
            memory=turn.chat.memory,
            wants_memory=turn.wants_memory,
            is_stranger=turn.is_of_stranger,
            may_ask_first=self._first_questions is not None and turn.has_people and turn.may_ask_first,
            notes=[
                *self._turns.notes(turn),
                *(await self._transfer_notes.of(turn, self._locale_of(turn)) if self._transfer_notes else ()),
                *(
                    reminded(question, self._locale_of(turn), apart=is_brought)
                    for question, is_brought in turn.asked
                ),
            ],
        )

    async def _ask_agent(self, turn: Turn) -> TurnResult:
        await self._turns.begin(turn)
        prepared = (await turn.preparing if turn.preparing else None) or await self._prepare(turn)
        request = prepared.request
        turn.prompt, turn.skill, turn.company = request.prompt, request.skill, request.company
        turn.wish = prepared.choice.wish
        turn.may_ask_first = prepared.may_ask_first
        turn.recalled = prepared.found.recalled.ids
        if not prepared.found.recalled.is_trusted:
            await self._mix(turn)
        runtime = self._runtimes.get(prepared.runtime)
        if runtime is None:
            raise ModelFailed("runtime-missing", runtime=prepared.runtime)
        choice = prepared.choice
        about = {"topic": choice.topic} if choice.topic else {}
        turn.note(Event.CHOSEN, runtime=prepared.runtime, skill=request.skill, reason=choice.reason, **about)
        self._note_model(turn, prepared)
        if prepared.found.trouble:
            turn.note(Event.NOT_RECALLED, reason=prepared.found.trouble)
        if (checked := await self._turns.check(turn, request)) is None:
            return TurnResult(state=TurnState.SILENT, said="", skipped=True)
        await self._listen(turn, runtime.run(checked, turn.follow_ups))
        said = without_internal(turn.answer)
        note = self._smaller_model(turn)
        if turn.may_ask_first and (signal := read_signal(said)):
            return first_questions.result_of(turn, signal, self._locale_of(turn).speaks, note)
        if is_empty(said):
            turn.note(Event.SILENT)
            return TurnResult(state=TurnState.SILENT, said="")
        turn.note(Event.FINISHED, length=len(said))
        if turn.then:
            return TurnResult(state=TurnState.ANSWERED, said=said, note=note)
        return TurnResult(state=TurnState.ANSWERED, said=f"{said}{note}")

    def _note_model(self, turn: Turn, prepared: Prepared) -> None:
        chosen = prepared.model
        turn.note(
            Event.MODEL_CHOSEN,
            model=self._preparation.tier_of(chosen.model),
            reason=f"model-{chosen.reason}",
            thinking=chosen.thinking.value if chosen.thinking else "usual",
        )

    def _smaller_model(self, turn: Turn) -> str:
        """A line under the answer if the budget allowed only a smaller model. It is for people: neither an
        agent that waits for the answer nor the model itself sees it.
        """
        asked = turn.last_asked
        if asked is None or asked.instead_of is None:
            return ""
        line = say(
            self._locale_of(turn).speaks,
            "answer-smaller-model",
            model=self._preparation.tier_of(asked.model),
            percent=asked.level or 0,
            period=asked.period or "day",
        )
        return f"\n\n*{line}*"

    async def _listen(self, turn: Turn, events: AsyncGenerator[RuntimeEvent, None]) -> None:
        """Follow the agent until its answer ends; show the answer and its actions as they appear."""
        recorder = TurnRecorder(
            Live() if turn.then else self._live,
            self._channel(turn),
            _blank(turn),
            may_ask_first=turn.may_ask_first,
        )
        follower, silence = self._turns.follower(turn), Silence()
        try:
            with self._waits.watched(turn.session.id, silence):
                async with aclosing(watched(events, self._patience, silence)) as followed:
                    async for event in followed:
                        await self._note_source(turn, event)
                        await recorder.hear(event)
                        if follower:
                            await follower.hear(event)
                        if isinstance(event, TookUp):
                            await self._join(turn, event.messages)
        finally:
            silence.close()
            if follower:
                await follower.close()
            turn.answer, turn.micros = recorder.text, recorder.micros
            if recorder.is_cut:  # the agent is told too, before its next turn
                turn.answer += "\n\n" + say(self._locale_of(turn).speaks, "answer-cut", most=MOST_ANSWER)
            if recorder.is_short:
                line = say(self._locale_of(turn).speaks, "answer-cut-by-budget")
                turn.answer = f"{turn.answer}\n\n*{line}*".strip()
            turn.steps += recorder.steps()
            if self._transfer_notes:
                self._transfer_notes.heed(turn)
            turn.last_asked = recorder.last_asked
            for asked in recorder.stepped_down:
                turn.note(
                    Event.STEPPED_DOWN,
                    model=self._preparation.tier_of(asked.model),
                    instead_of=self._preparation.tier_of(asked.instead_of or ""),
                    percent=asked.level or 0,
                    period=asked.period or "day",
                )

    async def _note_source(self, turn: Turn, event: RuntimeEvent) -> None:
        """Note that the turn is mixed before the agent reads what a box tool, a server or a document says: no
        member said it.
        """
        is_outside = isinstance(event, ToolStarted) and (event.name not in TOOLS or event.name == _DOCUMENTS)
        if is_outside or turn.is_source_unnoted:
            await self._mix(turn)

    async def _mix(self, turn: Turn) -> None:
        """Mark the turn as mixed. If that fails, it is retried before the next tool; no turn ends because of it."""
        if turn.is_mixed and not turn.is_source_unnoted:
            return
        turn.is_mixed = turn.is_source_unnoted = True
        try:
            await self._store.write(lambda tx: session_queue.mix(tx, turn.id))
        except StoreUnavailable as error:
            log.warning("source of a turn not noted yet", reason=error)
        else:
            turn.is_source_unnoted = False

    async def _join(self, turn: Turn, messages: tuple[MessageId, ...]) -> None:
        def story(tx: Tx) -> None:
            session_queue.join_turn(tx, turn.session.id, messages, turn.id)
            for message_id in messages:
                note_all(tx, message_id, [(Event.JOINED, now(), {})])
                announce(tx, turn.chat.id, MessageChanged(message_id))

        await self._store.write(story)
        joined = [turn.offered[message_id] for message_id in messages]
        turn.messages += joined
        turn.is_mixed = turn.is_mixed or any(said_by_others(each, turn.speakers) for each in joined)

    def _ending(self, turn: Turn, claim: Claim, result: TurnResult) -> _Ending:
        turn.says_something = bool(result.said)
        return partial(self._end, turn=turn, claim=claim, result=result)

    def _write_end(self, tx: Tx, turn: Turn, end: _Ending, place: Place) -> datetime | None:
        """Write the end, and claim what follows in the same transaction that makes it due: the delivery of
        the answer, or the work that waits for the turn.
        """
        again = end(tx)
        if not turn.then:
            for message in turn.messages:
                announce(tx, turn.chat.id, MessageChanged(message.id))
        place.take(tx)
        return again

    def _end(self, tx: Tx, *, turn: Turn, claim: Claim, result: TurnResult) -> datetime | None:
        """The turn's end and its answer are written together, and only while the lease is held.

        Rows are locked in the same order as by an arriving message, those of work last: otherwise the two could
        deadlock on PostgreSQL.
        """
        turn.is_mixed = session_queue.end_turn(
            tx,
            turn.id,
            result.state,
            skill=turn.skill,
            prompt=turn.prompt,
            answer=turn.answer,
            at=now(),
            result=result.kept(turn) if turn.then else None,
            is_mixed=turn.is_mixed,
        )
        memory_uses.put(tx, turn.id, turn.company, turn.recalled)
        note_all(tx, turn.id, turn.steps)
        if result.said and not turn.then:
            outbox.post(
                tx,
                chat_id=turn.chat.id,
                thread=turn.session.thread,
                author=Author.HOST if result.state is TurnState.FAILED else Author.AGENT,
                text=result.said,
                at=now(),
                turn_id=turn.id,
                message_id=turn.messages[-1].id,
                buttons=self._buttons(turn, result),
            )
        if result.state is TurnState.ANSWERED:
            self._turns.answered(tx, turn, result.said)
        if result.questionnaire and self._first_questions:
            self._first_questions.ask(tx, turn, result.questionnaire, self._locale_of(turn).speaks)
        if self._memory:  # last: the row of the company's writer is shared by everybody
            self._memory.ended(tx, turn, result)
        return work.finish(tx, claim, again_at=self._rest(tx, turn.session.id))

    def _buttons(self, turn: Turn, result: TurnResult) -> tuple[Button, ...]:
        """A failed turn can be retried with one press."""
        if result.state is not TurnState.FAILED:
            return ()
        label = say(self._locale_of(turn).speaks, "button-retry")
        return (Button(label=label, data=f"{RETRY}:{turn.messages[-1].id}"),)

    def _hold(self, tx: Tx, *, turn: Turn, claim: Claim, outage: ModelOutage) -> datetime:
        """The model is unavailable: the turn waits as it is, and the person is told once."""
        if not timeline.happened(tx, turn.id, Event.HELD):
            language = self._locale_of(turn).speaks
            usual = "" if turn.then else say(language, "turn-held", reason=tell(language, outage))
            if told := self._turns.held(turn, outage, language) or usual:
                outbox.post(
                    tx,
                    chat_id=turn.chat.id,
                    thread=turn.session.thread,
                    author=Author.HOST,
                    text=told,
                    at=now(),
                    message_id=turn.messages[-1].id,
                )
            note_all(tx, turn.id, [(Event.HELD, now(), {"error": outage.key, **outage.values})])
        if outage.key == BUDGET_HELD:
            budgets.hold(tx, str(outage.values["company"]), claim.kind, claim.key, now())
        return work.put_back(tx, claim, now() + timedelta(seconds=outage.after), None)

    def _try_again(self, tx: Tx, *, turn: Turn, claim: Claim, stuck: TurnStuck) -> datetime:
        """The agent got stuck and was killed: retry, after a longer pause each time."""
        note_all(tx, turn.id, [(Event.STUCK, now(), {"error": stuck.key, **stuck.values})])
        pause = min(self._patience.first / 60 * 2**claim.attempt, 60.0)
        return work.put_back(tx, claim, now() + timedelta(seconds=pause), stuck.key)

    def _rest(self, tx: Tx, session_id: SessionId) -> datetime | None:
        """Wait until a burst of messages ends, so that they join one turn."""
        at = now()
        waiting = session_queue.waiting_in(tx, session_id, 1, at)
        if not waiting:
            return None
        # At most the window, whatever the clock said when they arrived.
        return min(max(at, waiting[0].received_at + self._batch_window), at + self._batch_window)

    def _locale_of(self, turn: Turn) -> Locale:
        return self._preparation.locale_of(turn.session, turn.woken_by)

    def _failed(self, turn: Turn, error: NanoClawError) -> TurnResult:
        language = self._locale_of(turn).speaks
        turn.note(Event.FAILED, error=error.key, **error.values)
        return TurnResult(
            state=TurnState.FAILED,
            said=say(language, "turn-failed", reason=tell(language, error)),
            error=error,
        )

    def _stopped(self, turn: Turn) -> TurnResult:
        """Keep what was written so far, and say that it is incomplete."""
        if turn.may_ask_first:  # half of its questions would be unreadable
            turn.answer = shown_of(turn.answer)
        said = without_internal(turn.answer)
        note = say(self._locale_of(turn).speaks, "turn-stopped")
        turn.note(Event.STOPPED)
        return TurnResult(state=TurnState.STOPPED, said=f"{said}\n\n*{note}*" if said else "")

    def _channel(self, turn: Turn) -> Channel | None:
        """Where the answer is shown while it grows; None if other work waits for it."""
        return None if turn.then else self._channels.get(turn.chat.channel)

    def _show(self, turn: Turn, *, on: bool) -> None:
        """Show or hide "working" in the chat, unless the agent works for someone else."""
        if not turn.then:
            self._live.tell(turn.chat.id, TurnRuns(turn.id, on))


def _blank(turn: Turn) -> Preview:
    """The preview of an answer with nothing in it yet."""
    return Preview(
        chat_id=turn.chat.id,
        address=turn.chat.address,
        thread=turn.session.thread,
        turn_id=turn.id,
        text="",
        reply_ref=turn.messages[-1].external_id,
    )
