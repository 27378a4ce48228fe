"""The terminals of live sessions: a box for each, with one person who types and others who watch.

A box outlives its connections for a while, so that a broken one resumes where it was. Afterwards, or when the
host was killed, or when somebody else types, the conversation continues from its transcript in a new box:
what one person left running must not act with the rights of another. The row says on which host it runs.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

import structlog

from nanoclaw.domain.boxes import TerminalSize
from nanoclaw.domain.errors import NanoClawError, Refused, StoreUnavailable
from nanoclaw.domain.ids import HostId, SessionId
from nanoclaw.domain.news import News, QuestionChanged
from nanoclaw.domain.people import Actor
from nanoclaw.domain.ports import LiveTerminal
from nanoclaw.domain.questions import Question
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import live_sessions, people, questions, session_queue
from nanoclaw.durable.clock import now
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.human.deciders import may_decide
from nanoclaw.flows.live.screen_filter import ScreenFilter
from nanoclaw.flows.live.screens import Screen, ScreenViewer
from nanoclaw.flows.live.sessions import WITH_TERMINAL, LiveSessions
from nanoclaw.texts import say, tell

log = structlog.get_logger("terminals")

_PIECE = 1 << 16
_SURE_LOOK = 5.0  # seconds
# Text keys for the reason shown to connected viewers when a terminal ends.
_EXITED, _OVER, _LEFT = "terminal-ended-exited", "terminal-ended-over", ""

Start = Callable[[TurnRequest, TerminalSize], Awaitable[LiveTerminal]]
Warn = Callable[[Question, str], str]


@dataclass(kw_only=True, eq=False)
class _Running:
    question_id: str
    terminal: LiveTerminal
    screen: Screen
    works_for: str  # the handle of the person whose rights its agent has
    leaving: asyncio.TimerHandle | None = None
    warned: bool = False


@dataclass(kw_only=True, eq=False)
class Terminals:
    store: Store
    sessions: LiveSessions
    start: Start
    host: HostId
    warning: Warn  # that time is up, in a language
    linger: float  # seconds that a box is kept while nobody looks
    _running: dict[str, _Running] = field(default_factory=dict)
    _locks: "WeakValueDictionary[str, asyncio.Lock]" = field(default_factory=WeakValueDictionary)
    _tasks: "set[asyncio.Task[None]]" = field(default_factory=set)

    def __post_init__(self) -> None:
        self.store.after_commit.tells(self._hear)

    async def attach(
        self, question_id: str, by: Actor, *, rows: int, cols: int, may_type: bool = True
    ) -> ScreenViewer:
        """Connect to the terminal; the first person who may type starts it. Raises NotFound or Refused, with
        the reason.
        """
        size = TerminalSize(rows=rows, columns=cols)
        async with self._locks.setdefault(question_id, asyncio.Lock()):
            running = self._running.get(question_id)
            if running is None and not may_type:  # a viewer must not start anything that costs money
                raise Refused("session-nothing-to-watch")
            await self.sessions.open(question_id, by, in_chat=False)
            if running is None:
                running = await self._begin(question_id, by, size)
            return running.screen.attach(by, size, may_type=may_type)

    async def end(self, question_id: str) -> None:
        """The session is over."""
        await self._end(question_id, _OVER)

    async def leave(self, question_id: str) -> None:
        """Someone wants to continue in the chat: end the terminal if nobody looks at it."""
        await self._end(question_id, _LEFT)

    async def close(self) -> None:
        """The host stops. People who are connected reconnect and continue."""
        for question_id in list(self._running):
            await self._end(question_id, None)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _begin(self, question_id: str, by: Actor, size: TerminalSize) -> _Running:
        request = await self._for(await self.sessions.terminal_request(question_id), by)
        try:
            await self.store.write(lambda tx: self._claim(tx, question_id, by))
            terminal = await self.start(request, size)
        except BaseException:
            await self._release(question_id)
            raise
        running = _Running(
            question_id=question_id,
            terminal=terminal,
            screen=Screen(terminal.box, size, lambda: self._changed(running)),
            works_for=by.handle,
        )
        self._running[question_id] = running
        self._later(self._read(running, terminal))
        self._later(self._watch(running))
        return running

    async def _for(self, request: TurnRequest, by: Actor) -> TurnRequest:
        """Make the typist the person who pays, and whose rights its agent has."""
        person = await self.store.read(lambda tx: people.person_named(tx, by.handle))
        return replace(
            request, person=by.handle, speaker=person.id if person else None, is_own=True, is_live=True
        )

    def _claim(self, tx: Tx, question_id: str, by: Actor) -> None:
        """Claim the terminal: two hosts may ask at once, and someone may conclude it or write in the chat
        meanwhile.
        """
        question, live = questions.locked(tx, question_id), live_sessions.get(tx, question_id)
        if question is None or not question.is_open:
            raise Refused("session-over")
        if live.host != self.host and live_sessions.is_in_terminal(tx, live):
            raise Refused("session-terminal-elsewhere")
        if session_queue.open_turn(tx, SessionId(live.session_id or "")):
            raise Refused("session-answering")
        live_sessions.mark(tx, question_id, host=self.host, typist=by.handle, runtime=WITH_TERMINAL)

    async def _release(self, question_id: str) -> None:
        def story(tx: Tx) -> None:
            if live_sessions.get(tx, question_id).host == self.host:
                live_sessions.mark(tx, question_id, host=None, typist=None)

        with suppress(StoreUnavailable):  # the claim lapses with this host's heartbeat
            await self.store.write(story)

    async def _read(self, running: _Running, terminal: LiveTerminal) -> None:
        needed = ScreenFilter()
        while piece := await terminal.box.stdout.read(_PIECE):
            shown = needed.pass_on(piece)
            if running.terminal is terminal and shown:
                running.screen.show(shown)
        await self._end(running.question_id, _EXITED, terminal)

    async def _end(self, question_id: str, why: str | None, only: LiveTerminal | None = None) -> None:
        """End the terminal, only `only` if given. Without a reason nobody is told."""
        async with self._locks.setdefault(question_id, asyncio.Lock()):
            running = self._running.get(question_id)
            if running is None or (only is not None and running.terminal is not only):
                return
            if why == _LEFT and running.screen.attachments:  # someone came back at the last moment
                return
            await self._close(running, why)

    async def _close(self, running: _Running, why: str | None) -> None:
        del self._running[running.question_id]
        if running.leaving:
            running.leaving.cancel()
        try:
            await running.terminal.close()
        finally:
            await self._release(running.question_id)
            if why is not None:
                running.screen.end(lambda by: say(by.language, why))

    def _changed(self, running: _Running) -> None:
        if running.leaving:
            running.leaving.cancel()
            running.leaving = None
        if not running.screen.attachments and self._running.get(running.question_id) is running:
            running.leaving = asyncio.get_running_loop().call_later(
                self.linger, lambda: self._later(self._end(running.question_id, _LEFT, running.terminal))
            )
        typist = running.screen.typist
        if typist and typist.by.handle == running.works_for:
            running.screen.use(running.terminal.box)  # perhaps back, before somebody else had a box
        elif typist:
            running.screen.hold()  # nothing they type reaches somebody else's box
            self._later(self._begin_anew(running))

    async def _begin_anew(self, running: _Running) -> None:
        """Somebody else types: continue the conversation in a box of theirs."""
        question_id = running.question_id
        async with self._locks.setdefault(question_id, asyncio.Lock()):
            typist = running.screen.typist
            is_over = self._running.get(question_id) is not running
            if is_over or typist is None or typist.by.handle == running.works_for:
                return
            old, by = running.terminal, typist.by
            try:
                await old.close()
                request = await self._for(await self.sessions.terminal_request(question_id), by)
                await self.store.write(lambda tx: self._claim(tx, question_id, by))
                running.terminal = await self.start(request, typist.size)
            except BaseException:
                await self._close(running, _EXITED)
                raise
            running.works_for = by.handle
            running.screen.begin_anew(running.terminal.box)
            self._later(self._read(running, running.terminal))
        self._changed(running)  # the typist may have changed meanwhile

    async def _watch(self, running: _Running) -> None:
        """Look now and then: nothing announces what other hosts decide, or rights that were taken away."""
        while self._running.get(running.question_id) is running:
            await asyncio.sleep(_SURE_LOOK)
            await self._look(running.question_id)

    def _hear(self, _chat: str, news: News) -> None:
        if isinstance(news, QuestionChanged) and news.question_id in self._running:
            self._later(self._look(news.question_id))

    async def _look(self, question_id: str) -> None:
        """End it if its question is decided, perhaps on another host; drop people who may no longer decide
        it; warn when its time is up.
        """
        running = self._running.get(question_id)
        if running is None:
            return
        present = {each.by.handle for each in running.screen.attachments} | {running.works_for}

        def look(tx: Tx) -> tuple[Question | None, LiveSession, set[str]]:
            question, live = questions.get(tx, question_id), live_sessions.get(tx, question_id)
            gone = {each for each in present if question and may_decide(tx, question, each, now()) is None}
            return question, live, gone

        question, live, gone = await self.store.read(look)
        if question is None or not question.is_open:
            await self._end(question_id, _OVER)
            return
        if gone:
            running.screen.dismiss(gone, lambda by: tell(by.language, Refused("question-forbidden")))
            if running.works_for in gone:
                await self._end(question_id, _LEFT)  # unless somebody else continues in a box of theirs
        if live.warned_at and not running.warned:
            running.warned = True
            running.screen.say(lambda by: self.warning(question, by.language))

    def _later(self, work: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(self._told(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _told(self, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except NanoClawError as error:
            log.warning("something for a terminal failed", reason=error)
