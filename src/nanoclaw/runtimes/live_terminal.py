"""Claude Code as people know it, at its own terminal in the box of a live session.

It is the same program with the same tools, skills, rules and model line as in a turn. A hook asks the host
before each tool, and the host's own tools, and those lent from servers, are also checked on the host. An
attacker in the box can bypass the hook, but not the box, the gateway or the host's tools.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from nanoclaw.domain.boxes import GATEWAY_SOCKET, Box, Mount, TerminalSize
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.ports import ModelGateway, Permission, Servers, SessionBoxes
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.runtimes.claude_gate import ClaudeGate, denied
from nanoclaw.runtimes.claude_options import (
    BRIEF,
    GATEWAY_PORT,
    PLUGIN,
    PROGRAM,
    SEARCH,
    SETTINGS,
    TOOLS,
    Equipment,
    agents_of,
    environment_of,
    mounts_of,
    settle_model,
)
from nanoclaw.runtimes.claude_servers import use_lent, use_own

NAME = "claude-code"
_LONGEST_WAIT = 7 * 24 * 3600  # seconds for a person's permission; questions end before
_DOOR = "/run/door.sock"
_REQUEST = "/run/request.md"
_LONGEST = 100_000  # characters of an argument
_LISTED = "/tmp/.tools-listed"  # noqa: S108 - the box's own
_ASKS = "AskUserQuestion"  # someone is there to answer
_ENVIRONMENT = {
    "CLAUDE_CODE_ENTRYPOINT": "cli",
    "NANOCLAW_DOOR": _DOOR,
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
}

Answer = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]


class Doors(Protocol):
    """Sockets on which a program in a box asks the host."""

    def open(self, answer: Answer) -> Path: ...

    async def close_door(self, path: Path) -> None: ...


@dataclass(kw_only=True)
class LiveTerminal:
    """A Claude Code that people look at. Its box has a terminal."""

    box: Box
    _closing: AsyncExitStack

    async def close(self) -> None:
        """End it with everything in its box."""
        await self._closing.aclose()


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaudeTerminals:
    session_boxes: SessionBoxes
    gateway: ModelGateway
    equipment: Equipment
    permission: Permission
    servers: Servers
    doors: Doors
    run_inside: Callable[..., Sequence[str]]  # a program of ours in the box
    let_go: Callable[
        [SessionId], Awaitable[None]
    ]  # ends what runs turns of this session: only one at a time may use its transcript

    async def open(self, request: TurnRequest, size: TerminalSize) -> LiveTerminal:
        """Continue where this conversation was left, or begin with the prompt of the request. Raises
        NanoClawError.
        """
        model = settle_model(request.model)
        await self.let_go(request.session_id)
        async with AsyncExitStack() as if_it_fails:
            gate = ClaudeGate(self.permission, request)
            door = self.doors.open(lambda asked: self._answer(asked, gate))
            if_it_fails.push_async_callback(self.doors.close_door, door)
            line = await self.gateway.open(request.spender(NAME), web_search=request.grants.web_search)
            if_it_fails.push_async_callback(line.close)
            mounts = [*mounts_of(request, self.equipment, line), Mount(source=door, target=_DOOR)]
            begin = ["--conversation", request.conversation]
            if request.prompt:
                mounts.append(Mount(source=self.equipment.first_prompt(request), target=_REQUEST))
                begin += ["--prompt", _REQUEST]
            box = await self.session_boxes.start(
                request,
                [*self.run_inside("terminal"), *begin, "--", *self._command(request, gate, model)],
                environment=environment_of(line) | _ENVIRONMENT,
                mounts=mounts,
                ways={GATEWAY_PORT: GATEWAY_SOCKET},
                own_terminal=size,
                commands_apart=True,
            )
            if_it_fails.push_async_callback(box.kill)
            await self.session_boxes.serve(request)
            return LiveTerminal(box=box, _closing=if_it_fails.pop_all())

    def _command(self, request: TurnRequest, gate: ClaudeGate, model: str) -> list[str]:
        grants = request.grants
        tools = [*TOOLS, _ASKS, *([SEARCH] if grants.web_search else [])]
        options = {
            "--system-prompt-file": BRIEF,
            "--system-prompt-snapshot": "off",
            "--model": model,
            "--tools": ",".join(tools),
            "--permission-mode": "bypassPermissions",  # the box is the boundary
            "--setting-sources": "",  # what an agent writes into its files must not configure it
            "--settings": json.dumps(self._settings(request, gate)),
            "--mcp-config": json.dumps({"mcpServers": self._servers(request)}),
            "--plugin-dir": PLUGIN,
        }
        agents = json.dumps(agents_of(request))
        if len(agents) < _LONGEST:  # otherwise it has only their files
            options["--agents"] = agents
        return [PROGRAM, "--strict-mcp-config", *(f"{name}={value}" for name, value in options.items())]

    def _settings(self, request: TurnRequest, gate: ClaudeGate) -> dict[str, Any]:
        hooks: dict[str, Any] = {"SessionStart": [{"hooks": [_wait_for(self._servers(request))]}]}
        settings = {**SETTINGS, "skipDangerousModePermissionPrompt": True, "tui": "default", "hooks": hooks}
        if gate.is_needed:
            program, *arguments = self.run_inside("gate")
            hook = {
                "type": "command",
                "command": program,
                "args": arguments,
                "timeout": _LONGEST_WAIT,
                "onFailure": "block",
            }
            hooks["PreToolUse"] = [{"hooks": [hook]}]
        return settings

    def _servers(self, request: TurnRequest) -> dict[str, Any]:
        names = ["nanoclaw", *(["servers"] if request.grants.mcp else [])]
        offered = {name: self.run_inside("lent", name) for name in names}
        return {
            name: {
                "type": "stdio",
                "command": command[0],
                "args": list(command[1:]),
                "env": {"NANOCLAW_TOOLS_LISTED": f"{_LISTED}-{name}"},
            }
            for name, command in offered.items()
        }

    async def _answer(self, asked: Mapping[str, Any], gate: ClaudeGate) -> Mapping[str, Any]:
        """Answer a program in the box. Its words are only claims: rules and rights are those of the request."""
        match asked:
            case {"hook": {"tool_name": str(), "tool_input": dict(), "tool_use_id": str(call)} as said}:
                said = {**said, "hook_event_name": "PreToolUse"}
                return dict(await gate.before(cast(Any, said), call, {"signal": None}))
            case {"hook": _}:
                return dict(denied("the host does not understand what is to be done."))
            case {"offers": "nanoclaw"}:
                grants = gate.request.grants
                own = [
                    (each.name, each.description, each.offer(main=grants.main))
                    for each in grants.host_tools()
                ]
                return {"tools": [_offer(*each) for each in own]}
            case {"offers": "servers"}:
                offers = await self.servers.offered(gate.request.grants.mcp)
                return {"tools": [_offer(each.name, each.description, each.arguments) for each in offers]}
            case {"use": str(name), "of": "nanoclaw", "arguments": dict(arguments)}:
                ok, text = await use_own(self.session_boxes, gate.request.session_id, name, arguments)
                return {"ok": ok, "text": text}
            case {"use": str(name), "of": "servers", "arguments": dict(arguments)}:
                ok, text = await use_lent(self.servers, self.permission, gate.request, name, arguments)
                return {"ok": ok, "text": text}
            case _:
                return {"ok": False, "text": "The host does not understand this."}


def _wait_for(servers: Mapping[str, Any]) -> dict[str, Any]:
    """A command that holds back the first prompt. Tool servers connect meanwhile, and without it the prompt
    would go without their tools; the last moment is for taking them in.
    """
    wait = 'n=0; for f; do while [ ! -e "$f" ] && [ $n -lt 200 ]; do sleep 0.05; n=$((n+1)); done; done; sleep 0.1'
    marks = [f"{_LISTED}-{name}" for name in servers]
    return {"type": "command", "command": "/bin/sh", "args": ["-c", wait, "wait", *marks], "timeout": 15}


def _offer(name: str, description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "description": description, "offer": {"type": "object", "properties": {}, **schema}}
