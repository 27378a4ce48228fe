"""The claude-code runtime: the Claude Agent SDK on the host, Claude Code itself in the session's box.

A session keeps its Claude Code alive for a while after a turn, because starting one takes over half a second.
It is restarted, and resumes from its own transcript, if what it was started with has changed, a folder it
sees was replaced, it died, or another person speaks: what one person's turn left running in a box must not
run on in another's.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import structlog
from claude_agent_sdk import ClaudeSDKClient, ClaudeSDKError, Message

from nanoclaw.domain.boxes import GATEWAY_SOCKET
from nanoclaw.domain.errors import NanoClawError, TurnStuck
from nanoclaw.domain.ids import PersonId
from nanoclaw.domain.ports import ModelGateway, ModelLine, Permission, SessionBoxes
from nanoclaw.domain.turns import FollowUps, Paused, RuntimeEvent, TurnRequest
from nanoclaw.runtimes.claude_gate import ClaudeGate
from nanoclaw.runtimes.claude_messages import ClaudeRun, failure, is_idle
from nanoclaw.runtimes.claude_options import (
    GATEWAY_PORT,
    Equipment,
    environment_of,
    is_same,
    mounts_of,
    options_for,
    settle_model,
)
from nanoclaw.runtimes.claude_transport import BoxTransport

log = structlog.get_logger("claude-code")

NAME = "claude-code"
_CALM_DOWN = 3.0  # seconds for an interrupted Claude Code to say that it has stopped

Heard = Message | RuntimeEvent | ClaudeSDKError


@dataclass(kw_only=True)
class ClaudeProcess:
    """A live Claude Code, and the person it works for."""

    request: TurnRequest  # what it was started with
    client: ClaudeSDKClient
    line: ModelLine
    gate: ClaudeGate
    model: str
    speaker: PersonId | None = None  # whom it has worked for; None if it was started before anyone asked
    heard: asyncio.Queue[Heard] = field(default_factory=asyncio.Queue)
    calming: asyncio.Task[None] | None = None
    reader: asyncio.Task[None] | None = None
    expiry: asyncio.TimerHandle | None = None
    fresh: bool  # it does not know what was said before
    idle: bool = False  # no turn runs, so its output is dropped
    unread: bool = False  # it was told something that it has not read yet
    alive: bool = True


class ClaudeCodeRuntime:
    def __init__(
        self,
        session_boxes: SessionBoxes,
        gateway: ModelGateway,
        equipment: Equipment,
        permission: Permission,
        *,
        most_steps: int,
        warm_seconds: float,
        most_warm: int,
    ) -> None:
        self._session_boxes = session_boxes
        self._gateway = gateway
        self._equipment = equipment
        self._permission = permission
        self._most_steps = most_steps
        self._warm_seconds = warm_seconds
        self._most_warm = most_warm
        self._processes: dict[str, ClaudeProcess] = {}  # the longest idle first
        self._working: set[str] = set()  # sessions whose Claude Code runs a turn
        self._locks: dict[str, asyncio.Lock] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}

    async def run(self, request: TurnRequest, follow_ups: FollowUps) -> AsyncGenerator[RuntimeEvent, None]:
        model = settle_model(request.model)
        yield Paused(on=True)
        async with self._starting(request.session_id):
            proc = await self._process(request, model)
        finished = False
        try:
            yield Paused(on=False)
            proc.idle, proc.gate.request, proc.speaker = False, request, request.speaker
            proc.line.serve(request.spender(NAME), proc.heard.put_nowait)
            await self._session_boxes.serve(request)
            if model != proc.model:
                await proc.client.set_model(model)
                proc.model = model
            await proc.client.query(_first_words(request) if proc.fresh else request.whole_prompt)
            proc.fresh = False
            async for event in self._follow(proc, follow_ups):
                yield event
            finished = True
        except ClaudeSDKError as error:
            raise TurnStuck("agent-died", said=_shown(error)) from error
        except NanoClawError:
            finished = True  # there is no answer, but it is idle: nothing to interrupt
            raise
        finally:
            self._working.discard(request.session_id)
            self._rest(request, proc, finished=finished)

    async def warm(self, request: TurnRequest) -> None:
        """Start it before anyone asks, so that the first answer does not wait for it."""
        async with self._starting(request.session_id):
            known = request.session_id in self._working or request.session_id in self._processes
            if self._most_warm and not known:
                proc = await self._process(request, settle_model(request.model))
                self._working.discard(request.session_id)
                self._rest(request, proc, finished=True)

    async def let_go(self, session_id: str) -> None:
        """End what is kept for it between turns: a terminal needs the transcript to itself."""
        async with self._starting(session_id):
            if proc := self._processes.pop(session_id, None):
                await asyncio.shield(self._begin_leaving(session_id, proc))
            elif leaving := self._closing.get(session_id):
                await asyncio.shield(leaving)

    async def close(self) -> None:
        while self._processes:
            self._begin_leaving(*self._processes.popitem())
        await asyncio.gather(*self._closing.values())

    async def _follow(self, proc: ClaudeProcess, follow_ups: FollowUps) -> AsyncGenerator[RuntimeEvent, None]:
        """Follow it until it has its result and has read everything pushed to it. A follow-up is pushed only
        while a tool runs: then it is read before the next model call. Later it would begin its own run,
        whose answer should not wait in this one.
        """
        run = ClaudeRun()
        while not run.over:
            if run.in_flight:
                for follow_up in follow_ups.take():
                    run.pushed.append(follow_up)
                    await proc.client.query(follow_up.prompt)
            proc.unread = bool(run.pushed)
            said = await self._next(proc, follow_ups if run.in_flight else None)
            if isinstance(said, ClaudeSDKError):
                raise said
            if isinstance(said, Message):
                for event in run.take(said):
                    yield event
            elif said is not None:
                yield said
        most = proc.gate.request.most_steps or self._most_steps
        if run.result and (error := failure(run.result, most)):
            raise proc.line.refused or error

    async def _next(self, proc: ClaudeProcess, follow_ups: FollowUps | None) -> Heard | None:
        """Its next message; None if a follow-up came first."""
        if follow_ups is None:
            return await proc.heard.get()
        listening = asyncio.ensure_future(proc.heard.get())
        waiting = asyncio.ensure_future(follow_ups.wait())
        try:
            await asyncio.wait((listening, waiting), return_when=asyncio.FIRST_COMPLETED)
            return listening.result() if listening.done() else None
        finally:
            waiting.cancel()
            listening.cancel()  # no effect if it is done, and a cancelled get takes nothing out

    @asynccontextmanager
    async def _starting(self, session_id: str) -> AsyncIterator[None]:
        """One at a time: two Claude Codes on one transcript would overwrite each other."""
        lock = self._locks.setdefault(session_id, asyncio.Lock())
        async with lock:
            yield

    async def _process(self, request: TurnRequest, model: str) -> ClaudeProcess:
        if leaving := self._closing.get(request.session_id):
            await asyncio.shield(leaving)
        proc = self._processes.get(request.session_id)
        if proc is not None:
            if proc.calming:
                await proc.calming
            self._processes.pop(request.session_id, None)
            if proc.expiry:
                proc.expiry.cancel()
            fits = is_same(proc.request, request) and proc.speaker in (None, request.speaker)
            if proc.alive and fits and not self._session_boxes.is_outdated(request.session_id):
                _forget_what_was_said(proc)
                self._working.add(request.session_id)
                return proc
            await asyncio.shield(self._begin_leaving(request.session_id, proc))
        taken = await self._take_seat(request, model)
        self._working.add(request.session_id)
        return taken

    async def _take_seat(self, request: TurnRequest, model: str) -> ClaudeProcess:
        gate = ClaudeGate(self._permission, request)
        most = request.most_steps or self._most_steps
        options = await options_for(request, self._equipment, gate, model=model, most_steps=most)
        line = await self._gateway.open(request.spender(NAME), web_search=request.grants.web_search)
        heard: asyncio.Queue[Heard] = asyncio.Queue()
        transport = BoxTransport(
            options,
            lambda command: self._session_boxes.start(
                request,
                command,
                environment=environment_of(line),
                mounts=mounts_of(request, self._equipment, line),
                ways={GATEWAY_PORT: GATEWAY_SOCKET},
                listener=heard.put_nowait,
                commands_apart=True,
            ),
        )
        client = ClaudeSDKClient(options, transport)
        try:
            await client.connect()
        except BaseException as error:
            try:
                await transport.close()
            finally:
                await line.close()
            if isinstance(error, NanoClawError) or not isinstance(error, Exception):
                raise
            # The SDK has no error class for a program that died or does not answer while starting.
            raise TurnStuck("agent-not-started", said=_shown(error)) from error
        fresh = options.resume is None
        proc = ClaudeProcess(
            request=request, client=client, line=line, gate=gate, model=model, heard=heard, fresh=fresh
        )
        proc.reader = asyncio.create_task(_read(proc))
        return proc

    def _rest(self, request: TurnRequest, proc: ClaudeProcess, *, finished: bool) -> None:
        """Keep it for the next turn. One that was interrupted is first told to stop, without anyone waiting.
        One that has not read everything is ended: it would work on the rest when nobody listens.
        """
        proc.line.rest()
        self._session_boxes.rest(request.session_id, is_done=finished)
        proc.idle = True
        if not finished and proc.alive:
            proc.calming = asyncio.create_task(_end(proc) if proc.unread else _calm(proc))
        self._processes[request.session_id] = proc
        loop = asyncio.get_running_loop()
        proc.expiry = loop.call_later(self._warm_seconds, self._expire, request.session_id, proc)
        if request.is_unattended:  # nobody comes back to it soon, and warm processes are for people
            self._expire(request.session_id, proc)
        while len(self._processes) > self._most_warm:
            oldest = next(iter(self._processes))
            self._expire(oldest, self._processes[oldest])

    def _expire(self, session_id: str, proc: ClaudeProcess) -> None:
        if self._processes.get(session_id) is proc:
            del self._processes[session_id]
            if (lock := self._locks.get(session_id)) and not lock.locked():
                del self._locks[session_id]
            self._begin_leaving(session_id, proc)

    def _begin_leaving(self, session_id: str, proc: ClaudeProcess) -> "asyncio.Task[None]":
        """The waiter may be cancelled; the next start, and the end of the host, still wait for it."""
        leaving = asyncio.create_task(self._leave(proc))
        self._closing[session_id] = leaving
        leaving.add_done_callback(lambda _done: self._closing.pop(session_id, None))
        return leaving

    async def _leave(self, proc: ClaudeProcess) -> None:
        if proc.expiry:
            proc.expiry.cancel()
        if proc.calming:
            await proc.calming
        await _end(proc)
        if proc.reader:
            proc.reader.cancel()
            await asyncio.gather(proc.reader, return_exceptions=True)
        await proc.line.close()


def _first_words(request: TurnRequest) -> str:
    """The first prompt. What was said before on another runtime, or in a lost transcript, is included once."""
    if not request.history:
        return request.whole_prompt
    earlier = "\n".join(
        f"<asked>\n{each.asked}\n</asked>\n<answered>\n{each.answered}\n</answered>"
        for each in request.history
    )
    return f"<earlier_conversation>\n{earlier}\n</earlier_conversation>\n{request.whole_prompt}"


async def _read(proc: ClaudeProcess) -> None:
    try:
        async for message in proc.client.receive_messages():
            # Output of an idle one could fill the memory of the host.
            if not proc.idle or is_idle(message):
                proc.heard.put_nowait(message)
        error = ClaudeSDKError("Claude Code ended")
    except Exception as raised:  # noqa: BLE001 - the SDK raises plain ones too; unheard, the turn would wait for ever
        error = raised if isinstance(raised, ClaudeSDKError) else ClaudeSDKError(str(raised))
    proc.heard.put_nowait(error)
    proc.alive = False


async def _calm(proc: ClaudeProcess) -> None:
    """Interrupt, and wait until nothing runs; one that does not obey is not used again."""
    try:
        async with asyncio.timeout(_CALM_DOWN):
            await proc.client.interrupt()
            while True:
                said = await proc.heard.get()
                if isinstance(said, ClaudeSDKError):
                    raise said
                if isinstance(said, Message) and is_idle(said):
                    return
    except (TimeoutError, ClaudeSDKError) as error:
        log.warning("agent does not stop when asked; its box is ended", reason=error)
        await _end(proc)


async def _end(proc: ClaudeProcess) -> None:
    proc.alive = False
    with suppress(ClaudeSDKError):
        await proc.client.disconnect()


def _forget_what_was_said(proc: ClaudeProcess) -> None:
    while not proc.heard.empty():
        proc.heard.get_nowait()


def _shown(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
