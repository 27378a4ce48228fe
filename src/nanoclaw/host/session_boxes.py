"""Prepares a session's folders, requests and egress, and starts its boxes."""

import asyncio
import contextlib
import json
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.domain.boxes import PROXY_SOCKET, Box, BoxLimits, BoxPlan, Mount, Sandbox, TerminalSize
from nanoclaw.domain.errors import BoxRefused, NanoClawError
from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.ports import Permission
from nanoclaw.domain.tool_requests import BadToolRequest, ToolReply, ToolRequest, of_model
from nanoclaw.domain.tools import no_such_tool, tool_table
from nanoclaw.domain.turns import RuntimeEvent, TurnRequest
from nanoclaw.durable.clock import now
from nanoclaw.flows.knowledge.views import MemoryViews
from nanoclaw.gateway.egress import Egress
from nanoclaw.gateway.model_calls import GatewayLine
from nanoclaw.gateway.proxy import Proxy
from nanoclaw.host.lent_box import LentBox
from nanoclaw.sandbox import command_box, inside, lock, probes, shared_folder, stale_requests
from nanoclaw.sandbox.file_writers import FileWriters
from nanoclaw.sandbox.folders import Folders
from nanoclaw.sandbox.processes import carried_through
from nanoclaw.sandbox.request_watch import RequestWatch, furnish
from nanoclaw.sandbox.shared_folder import SharedFolder
from nanoclaw.sandbox.users import BoxUsers
from nanoclaw.texts import tell

log = structlog.get_logger("boxes")

_SWEEP_EVERY = 60.0
_MOST_REMEMBERED = 1000
_LAST_REQUESTS = 5.0  # seconds for what a box requested just before it ended
_REQUESTS = {"NANOCLAW_IPC": "/ipc", "NANOCLAW_TOOLS": "/ipc/tools.json"}
_NO_TURN = "No turn is running. Ask while one is."
Ask = Callable[[ToolRequest], Awaitable[ToolReply]]
_PLUGIN = Path(__file__).with_name("plugin.json")


_Place = tuple[int, int] | None


@dataclass(kw_only=True)
class _Open:
    """A session that has boxes: its lock, its requests in the watch, and how many boxes are alive."""

    locked: contextlib.ExitStack
    tools: tuple[str, ...]  # of the host, offered to its agent
    request: TurnRequest  # the turn that its boxes work for
    is_served: bool = False  # its agent outlives its turns, and was told which one it works for
    calls: "Counter[tuple[str, str]]" = field(
        default_factory=Counter
    )  # of this turn's model, by what they ask
    left: frozenset[str] = frozenset()  # questions of earlier turns, by id
    resting: bool = False
    boxes: int = 0
    lines: dict[Path, GatewayLine] = field(default_factory=dict)  # egress, by socket
    shown: dict[Path, _Place] = field(
        default_factory=dict
    )  # what its boxes see, as it was when they were started
    beside: list[Box] = field(default_factory=list)  # in which commands of its agents run
    ending: "asyncio.Task[None] | None" = None  # notes that its boxes no longer write


@dataclass(frozen=True, kw_only=True, slots=True)
class _Outside:
    """The way out of a box, if it has one."""

    mounts: tuple[Mount, ...] = ()
    ways: dict[int, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class HostBoxes:
    home: Path
    choose: Callable[[], Sandbox]
    users: BoxUsers
    folders: Folders
    ask: Ask
    permission: Permission
    views: MemoryViews | None
    proxy: Proxy
    limits: BoxLimits
    private_hosts: frozenset[str]
    longest: float  # seconds that a box may live, whatever it does
    writers: FileWriters
    request_watch: RequestWatch = field(init=False)
    _open: dict[str, _Open] = field(default_factory=dict)
    _leaving: "dict[str, tuple[_Open, asyncio.Task[None]]]" = field(default_factory=dict)
    _turns: "OrderedDict[str, str]" = field(
        default_factory=OrderedDict
    )  # that last had a box, of each session
    _numbers: "count[int]" = field(default_factory=count)
    _proof: "asyncio.Task[Sandbox] | None" = None
    _closing: "set[asyncio.Task[None]]" = field(default_factory=set)

    def __post_init__(self) -> None:
        self.request_watch = RequestWatch(self.answer)

    def prove(self) -> "asyncio.Task[Sandbox]":
        """The proof that a box holds, retried until it does. No agent gets a box before that is known."""
        if self._proof is None or (self._proof.done() and self._proof.exception()):
            self._proof = asyncio.create_task(self._prove())
        return self._proof

    async def _prove(self) -> Sandbox:
        try:
            sandbox = await asyncio.to_thread(self.choose)
            await sandbox.sweep()
            await shared_folder.sweep()
            if sandbox.name == "process":
                log.warning("agents run as plain processes: nothing keeps them from the rest of this machine")
            else:
                await probes.prove(sandbox, BoxPlan(name="proof", tenant="proof", limits=self.limits))
        except BoxRefused as error:
            log.warning("no box holds, so no agent gets one", reason=error)
            raise
        return sandbox

    async def start(
        self,
        request: TurnRequest,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        mounts: Sequence[Mount] = (),
        ways: Mapping[int, str] | None = None,
        listener: Callable[[RuntimeEvent], None] | None = None,
        own_terminal: TerminalSize | None = None,
        commands_apart: bool = False,
    ) -> Box:
        sandbox = await asyncio.shield(self.prove())
        company, session_id = request.company, request.session_id
        folders = await asyncio.to_thread(
            self.folders.prepare, company, request.group, session_id, is_stranger=request.is_stranger
        )
        await self._show_memory(request)
        while session_id not in self._open and session_id in self._leaving:
            # Its last box has ended, its lock is still held.
            await asyncio.wait([self._leaving[session_id][1]])
        self._open_session(request, folders.ipc)
        if not self._serves(request):
            self._work_for(request)
        opened, sockets = self._open[session_id], list[Path]()
        opened.boxes += 1
        at_end = contextlib.AsyncExitStack()
        try:
            await self._may_write(opened)
            outside = await self._outside(request, listener, sockets)
            shown = (*_skills(request), *request.grants.mounts)
            plan = BoxPlan(
                name=f"{session_id}-{next(self._numbers)}",
                tenant=company,
                environment=dict(environment or {}),
                limits=self.limits,
            )
            led, beside = dict(ways or {}), None
            if commands_apart and sandbox.name != "process":
                beside_plan = replace(
                    plan,
                    name=f"{plan.name}-commands",
                    shares_limits_of=plan.name,
                    mounts=folders.command_mounts(extra=(*shown, *outside.mounts)),
                    environment=_REQUESTS | outside.variables,
                )
                beside, shared, seen_from = await self._start_commands(sandbox, beside_plan, outside, at_end)
                opened.beside.append(beside)
                at_end.callback(opened.beside.remove, beside)
                plan = replace(
                    plan, mounts=folders.agent_mounts(extra=(*shown, *mounts, *shared)), seen_from=seen_from
                )
            else:
                plan = replace(
                    plan,
                    mounts=folders.mounts(extra=(*shown, *mounts, *outside.mounts)),
                    environment={**_REQUESTS, **plan.environment, **outside.variables},
                )
                led |= outside.ways
            for source in (*folders.read_only.values(), *(mount.source for mount in plan.mounts)):
                opened.shown.setdefault(source, _place(source))
            started = inside.led(command, led, folder=request.cwd)
            box = await sandbox.start(plan, started, own_terminal=own_terminal)
        except BaseException as error:
            try:
                await carried_through(at_end.aclose())
            finally:
                self._over(session_id, sockets)
            if isinstance(error, OSError):  # no room, or no descriptors
                raise BoxRefused("box-unmade", said=error.strerror or str(error)) from error
            raise
        ending = asyncio.get_running_loop().call_later(self.longest, lambda: self._later(box.kill()))
        if beside is not None:
            self._later(_end_together(beside, box))

        async def over() -> None:
            ending.cancel()
            try:
                await at_end.aclose()
            finally:
                self._over(session_id, sockets)

        return LentBox(box, over)

    async def _outside(
        self, request: TurnRequest, listener: Callable[[RuntimeEvent], None] | None, sockets: list[Path]
    ) -> "_Outside":
        if not request.grants.network:
            return _Outside()
        socket = await self._egress(request, listener)
        sockets.append(socket)
        return _Outside(
            mounts=(Mount(source=socket, target=PROXY_SOCKET),),
            ways={inside.PROXY_PORT: PROXY_SOCKET},
            variables=inside.through_proxy(),
        )

    async def _start_commands(
        self, sandbox: Sandbox, plan: BoxPlan, outside: "_Outside", at_end: contextlib.AsyncExitStack
    ) -> tuple[Box, tuple[Mount, ...], int | None]:
        """The box for an agent's commands, what the agent's own box needs in order to use it, and from where."""
        owner = self.users.of(plan.tenant) if self.users.separate else None
        tmp = await SharedFolder.make(
            owner, plan.limits.scratch_bytes, in_memory=sandbox.name == "bubblewrap"
        )
        at_end.push_async_callback(tmp.remove)
        shared = Mount(source=tmp.path, target=command_box.TMP, writable=True)
        plan = replace(plan, mounts=(*plan.mounts, shared), seen_from=tmp.seen_from)
        box = await sandbox.start(plan, inside.led(command_box.command(), outside.ways))
        at_end.push_async_callback(box.kill)
        replaced = (
            command_box.found_here() if sandbox.has_machines_programs else await command_box.found_in(box)
        )
        stand_ins = await asyncio.to_thread(
            lambda: tuple(command_box.stand_ins(self.home / "data" / "boxes", replaced))
        )
        return box, (shared, *stand_ins), tmp.seen_from

    async def serve(self, request: TurnRequest) -> None:
        """Update the view of memory for a box that outlives its turn."""
        await self._show_memory(request)
        self._work_for(request, is_served=True)
        if opened := self._open.get(request.session_id):
            await self._may_write(opened)

    async def _may_write(self, opened: _Open) -> None:
        """From now on, changes of the group's files may be this session's."""
        if opened.ending is not None:
            await asyncio.wait([opened.ending])
        await asyncio.to_thread(self.writers.begin, opened.request.group, opened.request.session_id)

    async def _no_longer_write(self, opened: _Open, at: int) -> None:
        await asyncio.to_thread(self.writers.end, opened.request.group, opened.request.session_id, at)

    async def _show_memory(self, request: TurnRequest) -> None:
        if self.views:
            owner = self.users.of(request.company) if self.users.separate else None
            await self.views.prepare(request, owner)

    def _work_for(self, request: TurnRequest, *, is_served: bool = False) -> None:
        """Report connections of a box that outlives its turn to the turn it works for now."""
        if opened := self._open.get(request.session_id):
            if opened.request.turn_id != request.turn_id:
                opened.calls.clear()
            opened.resting, opened.request, opened.is_served = False, request, is_served
            for line in opened.lines.values():
                line.spender, line.resting = request.spender(""), False

    def _serves(self, request: TurnRequest) -> bool:
        """Whether a box of this very turn is being served: a sub-agent of the turn takes nothing from it."""
        opened = self._open.get(request.session_id)
        return (
            opened is not None
            and opened.is_served
            and not opened.resting
            and opened.request.turn_id == request.turn_id
        )

    def is_outdated(self, session_id: SessionId) -> bool:
        """Files replaced within a folder are seen; a folder that is itself replaced, as when git checks out
        another branch, is not, nor one that did not exist yet.
        """
        opened = self._open.get(session_id)
        return opened is not None and any(_place(path) != place for path, place in opened.shown.items())

    def rest(self, session_id: SessionId, *, is_done: bool) -> None:
        if opened := self._open.get(session_id):
            opened.resting = True
            for line in opened.lines.values():
                line.resting = True
            # An agent that waits writes nothing by itself; what its commands left running may.
            has_all_apart = len(opened.beside) == opened.boxes
            if is_done and has_all_apart and all(box.is_idle() for box in opened.beside):
                opened.ending = self._later(self._no_longer_write(opened, time.time_ns()))

    async def answer(self, asked: ToolRequest) -> ToolReply:
        """Answer a request found in a session's folder. What outlives its turn there gets nothing, and a tool
        that the turn was not offered does not exist. Anything in the box may have written it: it has a
        member's rights at most.
        """
        left = self._leaving.get(asked.session_id)  # what the last box requested before it ended
        opened = self._open.get(asked.session_id) or (left[0] if left else None)
        if opened is None or opened.resting:
            return ToolReply(ok=False, text=_NO_TURN)
        if asked.tool not in opened.tools:
            return ToolReply(ok=False, text=no_such_tool(asked.tool, opened.tools))
        is_left = asked.kind is RequestKind.HITL and asked.id in opened.left
        asked = replace(asked.of_turn(opened.request.turn_id), is_left=is_left)
        if why_not := await self.permission.ask(
            opened.request, asked.tool, asked.arguments.plain(), asked.id
        ):
            return ToolReply(ok=False, text=why_not)
        return await self.ask(replace(asked, skill=opened.request.skill, turn=opened.request))

    async def call(self, session_id: SessionId, tool: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Answer a call of the model itself, which came by a way that nothing else in its boxes has."""
        opened = self._open.get(session_id)
        if opened is None or opened.resting:
            return ToolReply(ok=False, text=_NO_TURN)
        request = opened.request
        if tool not in opened.tools:
            return ToolReply(ok=False, text=no_such_tool(tool, opened.tools))
        # After a crash the model asks again in the same turn: the same call is then the same request.
        what = tool, json.dumps(arguments, sort_keys=True, default=str)
        opened.calls[what] += 1
        try:
            asked = of_model(request, tool, arguments, call_id=f"{opened.calls[what]}")
        except BadToolRequest as error:
            return ToolReply(ok=False, text=str(error))
        if why_not := await self.permission.ask(request, tool, asked.arguments.plain(), asked.id):
            return ToolReply(ok=False, text=why_not)
        try:
            return await self.ask(asked)
        except NanoClawError as error:
            return ToolReply(ok=False, text=tell("en", error))

    async def sweep_often(self) -> None:
        """The safety net: find requests that nobody reported, and clear away what is left of boxes."""
        while True:
            await asyncio.sleep(_SWEEP_EVERY)
            self.request_watch.sweep(now())
            await self._sweep_boxes()

    async def _sweep_boxes(self) -> None:
        if self._proof and self._proof.done() and not self._proof.cancelled() and not self._proof.exception():
            try:
                if ended := await self._proof.result().sweep() + await shared_folder.sweep():
                    log.warning("ended what was left of boxes", boxes=ended)
            except (BoxRefused, OSError) as error:
                log.warning("what is left of boxes was not looked for", reason=error)

    async def close(self) -> None:
        if self._proof:
            self._proof.cancel()
            await asyncio.gather(self._proof, return_exceptions=True)
        await asyncio.gather(*self._closing)
        await self.request_watch.shut()
        for opened in self._open.values():
            opened.locked.close()
        await self.proxy.close()

    def _open_session(self, request: TurnRequest, ipc: Path) -> None:
        session_id = request.session_id
        if session_id in self._open:
            return
        with contextlib.ExitStack() as locked:
            locked.enter_context(lock.hold(self.home / "data" / "locks", session_id))
            owner = self.users.of(request.company)
            left = frozenset[str]() if self._goes_on(request) else stale_requests.put_away(ipc)
            offered = request.grants.host_tools()
            names = tuple(tool.name for tool in offered)
            furnish(ipc, owner, tool_table(offered, main=request.grants.main))
            self.request_watch.open(ipc, session_id, owner, names)
            self._open[session_id] = _Open(
                locked=locked.pop_all(),
                tools=names,
                request=request,
                left=left,
            )

    def _goes_on(self, request: TurnRequest) -> bool:
        """Whether earlier boxes, if any, worked for the same turn, including before the host was killed."""
        last = self._turns.pop(request.session_id, request.turn_id if request.again else None)
        self._turns[request.session_id] = request.turn_id
        if len(self._turns) > _MOST_REMEMBERED:
            self._turns.popitem(last=False)
        return last == request.turn_id

    async def _egress(self, request: TurnRequest, listener: Callable[[RuntimeEvent], None] | None) -> Path:
        line = GatewayLine(spender=request.spender(""), listener=listener or _nobody, models=())
        egress = Egress(hosts=request.grants.network, private=self.private_hosts)
        socket = await self.proxy.open(line, egress)
        self._open[request.session_id].lines[socket] = line
        return socket

    def _over(self, session_id: SessionId, sockets: list[Path]) -> None:
        """Close the session's requests with the last box, after reading what that box left."""
        opened = self._open[session_id]
        opened.boxes -= 1
        for socket in sockets:
            opened.lines.pop(socket, None)
            self._later(self.proxy.close_door(socket))
        if opened.boxes == 0:
            del self._open[session_id]
            closing = self._later(self._close_session(session_id, opened, time.time_ns()))
            self._leaving[session_id] = opened, closing

    async def _close_session(self, session_id: SessionId, opened: _Open, at: int) -> None:
        try:
            await self._no_longer_write(opened, at)
            await self.request_watch.close(session_id, patience=_LAST_REQUESTS)
        finally:
            opened.locked.close()
            del self._leaving[session_id]

    def _later(self, closing: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(closing)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        return task


def _skills(request: TurnRequest) -> list[Mount]:
    """The skills of the workspace, laid out as a Claude Code plugin; others read them as files."""
    return [
        Mount(source=_PLUGIN, target="/skills/.claude-plugin/plugin.json"),
        *(
            Mount(source=skill.folder, target=f"/skills/skills/{skill.name}")
            for skill in request.grants.other_skills
        ),
    ]


async def _end_together(commands: Box, agent: Box) -> None:
    """An agent whose box of commands is gone could only fail at each of them."""
    await commands.wait()
    await agent.kill()


def _place(path: Path) -> _Place:
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino


def _nobody(_event: RuntimeEvent) -> None:
    """For boxes that are not part of a turn."""
