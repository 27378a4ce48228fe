"""Where agents' hands are: prepares a session's folders, its mail and its way out, and starts boxes there."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import structlog

from nanoclaw.domain.boxes import PROXY_SOCKET, Box, BoxPlan, Limits, Mount, Sandbox
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.money import Spender
from nanoclaw.domain.tools import tool_table
from nanoclaw.domain.turns import RuntimeEvent, TurnRequest
from nanoclaw.gateway.passage import Line
from nanoclaw.gateway.proxy import Proxy
from nanoclaw.gateway.way_out import WayOut
from nanoclaw.sandbox import inside, lock, probes
from nanoclaw.sandbox.folders import Folders
from nanoclaw.sandbox.mailroom import Mailroom, furnish
from nanoclaw.sandbox.users import BoxUsers

log = structlog.get_logger("workshop")

PROXY_PORT = 3128
_PROXY = f"http://127.0.0.1:{PROXY_PORT}"
_THROUGH_PROXY = {
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), _PROXY),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1"),
}
_LAST_REQUESTS = 2.0  # seconds that requests get whose box did not wait for the answer
_PLUGIN = Path(__file__).with_name("plugin.json")


@dataclass(kw_only=True)
class _Open:
    """A session that has boxes: its lock, its desk in the mailroom, and how many live."""

    locked: contextlib.ExitStack
    boxes: int = 0
    lines: dict[Path, Line] = field(default_factory=dict)  # the ways out, by their sockets


class _Lent:
    """A box that tells when it is over, so that what was opened for it is closed."""

    def __init__(self, box: Box, over: Callable[[], object]) -> None:
        self._box = box
        self._over: Callable[[], object] | None = over

    @property
    def stdin(self) -> asyncio.StreamWriter:
        return self._box.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        return self._box.stdout

    @property
    def stderr(self) -> asyncio.StreamReader:
        return self._box.stderr

    async def wait(self) -> int:
        return await self._box.wait()

    async def kill(self) -> None:
        await self._box.kill()
        over, self._over = self._over, None
        if over is not None:
            over()


@dataclass(kw_only=True)
class Workshop:
    home: Path
    choose: Callable[[], Sandbox]
    users: BoxUsers
    folders: Folders
    mailroom: Mailroom
    proxy: Proxy
    limits: Limits
    private_hosts: frozenset[str]
    _open: dict[str, _Open] = field(default_factory=dict)
    _numbers: "count[int]" = field(default_factory=count)
    _proof: "asyncio.Task[Sandbox] | None" = None
    _closing: "set[asyncio.Task[None]]" = field(default_factory=set)
    _leaving: "dict[str, asyncio.Task[None]]" = field(default_factory=dict)

    def prove(self) -> "asyncio.Task[Sandbox]":
        """Whether a box holds, tried until it does. No agent gets a box before that is known."""
        if self._proof is None or (self._proof.done() and self._proof.exception()):
            self._proof = asyncio.create_task(self._prove())
        return self._proof

    async def _prove(self) -> Sandbox:
        try:
            sandbox = await asyncio.to_thread(self.choose)
            await sandbox.sweep()
            if sandbox.name == "process":
                log.warning("agents run as plain processes: nothing keeps them from the rest of this machine")
            else:
                await probes.prove(sandbox, BoxPlan(name="proof", tenant="proof", limits=self.limits))
        except BoxRefused as error:
            log.warning("no box holds, so no agent gets one", reason=str(error))
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
        terminal: bool = False,
    ) -> Box:
        sandbox = await asyncio.shield(self.prove())
        company, session_id = request.company, request.session_id
        folders = await asyncio.to_thread(self.folders.prepare, company, request.group, session_id)
        while session_id not in self._open and session_id in self._leaving:
            await asyncio.wait([self._leaving[session_id]])  # its last box has ended, its lock is still held
        self._open_session(request, folders.ipc)
        opened, doors, led = self._open[session_id], list[Path](), dict(ways or {})
        opened.boxes += 1
        extra = [*_skills(request), *request.reach.mounts, *mounts]
        variables = {"NANOCLAW_IPC": "/ipc", "NANOCLAW_TOOLS": "/ipc/tools.json", **(environment or {})}
        try:
            if request.reach.network:
                door = await self._way_out(request, listener)
                doors.append(door)
                extra.append(Mount(source=door, target=PROXY_SOCKET))
                led[PROXY_PORT] = PROXY_SOCKET
                variables |= _THROUGH_PROXY
            plan = BoxPlan(
                name=f"{session_id}-{next(self._numbers)}",
                tenant=company,
                mounts=folders.mounts(skill=None, extra=tuple(extra)),
                environment=variables,
                limits=self.limits,
            )
            box = await sandbox.start(plan, _led(command, led), terminal=terminal)
        except BaseException:
            self._over(session_id, doors)
            raise
        return _Lent(box, lambda: self._over(session_id, doors))

    def serve(self, request: TurnRequest) -> None:
        """Connections of a box that outlives its turn are told of the turn that it works for now."""
        opened = self._open.get(request.session_id)
        for line in opened.lines.values() if opened else ():
            line.spender = _spender(request)

    async def close(self) -> None:
        if self._proof:
            self._proof.cancel()
            await asyncio.gather(self._proof, return_exceptions=True)
        await asyncio.gather(*self._closing)
        await self.mailroom.shut()
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
            furnish(ipc, owner, tool_table(main=request.reach.main, named=request.reach.tools))
            self.mailroom.open(ipc, session_id, owner)
            self._open[session_id] = _Open(locked=locked.pop_all())

    async def _way_out(self, request: TurnRequest, listener: Callable[[RuntimeEvent], None] | None) -> Path:
        line = Line(spender=_spender(request), listener=listener or _nobody, models=())
        way_out = WayOut(hosts=request.reach.network, private=self.private_hosts)
        door = await self.proxy.open(line, way_out)
        self._open[request.session_id].lines[door] = line
        return door

    def _over(self, session_id: SessionId, doors: list[Path]) -> None:
        """The desk closes with the last box, after it has read what that box left for it."""
        opened = self._open[session_id]
        opened.boxes -= 1
        for door in doors:
            opened.lines.pop(door, None)
            self._later(self.proxy.close_door(door))
        if opened.boxes == 0:
            del self._open[session_id]
            self._leaving[session_id] = self._later(self._close_session(session_id, opened))

    async def _close_session(self, session_id: SessionId, opened: _Open) -> None:
        try:
            await self.mailroom.close(session_id, patience=_LAST_REQUESTS)
        finally:
            opened.locked.close()
            del self._leaving[session_id]

    def _later(self, closing: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(closing)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        return task


def _skills(request: TurnRequest) -> list[Mount]:
    """The skills of the workspace, laid out as Claude Code expects a plugin; others read them as files."""
    return [
        Mount(source=_PLUGIN, target="/skills/.claude-plugin/plugin.json"),
        *(
            Mount(source=skill.folder, target=f"/skills/skills/{skill.name}")
            for skill in request.reach.colleagues
        ),
    ]


def _led(command: Sequence[str], ways: Mapping[int, str]) -> Sequence[str]:
    """The command with its ways out opened before it."""
    if not ways:
        return command
    forwards = [word for port, socket in ways.items() for word in ("--forward", f"127.0.0.1:{port}={socket}")]
    return (*inside.run_inside("entry"), *forwards, "--", *command)


def _spender(request: TurnRequest) -> Spender:
    return Spender(
        company=request.company,
        group=request.group,
        session_id=request.session_id,
        turn_id=request.turn_id,
        runtime="",
    )


def _nobody(_event: RuntimeEvent) -> None:
    """For boxes that are not part of a turn."""
