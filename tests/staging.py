"""A host with real boxes and real agents in front of a scripted vendor: the stage of the tests that prove the whole."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from inspect import isawaitable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import timeline, turns
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, started_host
from nanoclaw.testing.model_parts import Asked, Part, Say, Use
from nanoclaw.testing.model_server import ModelServer

Script = Callable[[Asked], Any]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A runtime, how it is set, and what it calls its shell."""

    name: str
    settings: dict[str, dict[str, object]]
    bash_name: str
    seconds: float  # what a declared time-out counts in

    def bash(self, command: str, *, timeout: float | None = None) -> Use:
        given: dict[str, Any] = {"command": command}
        if timeout is not None:
            given["timeout"] = timeout / self.seconds
        return Use(self.bash_name, given)


KINDS = (
    Kind(
        name="claude-code", settings={"agents": {"runtime": "claude-code"}}, bash_name="Bash", seconds=0.001
    ),
    Kind(
        name="native, Anthropic",
        settings={"agents": {"runtime": "native"}},
        bash_name="bash",
        seconds=1,
    ),
    Kind(
        name="native, OpenAI-compatible",
        settings={
            "agents": {"runtime": "native", "sonnet": "local:small-model"},
            "prices": {"small-model": "1/5"},
        },
        bash_name="bash",
        seconds=1,
    ),
)


@dataclass(frozen=True)
class Stage:
    kind: Kind
    host: Host
    far_end: FarEnd
    server: ModelServer

    async def ask(self, text: str, *, answers: int = 1, sender: str = "tester") -> str:
        """Say something, and get what comes next."""
        before = len(self.far_end.said_to("chat"))
        await self.far_end.say("chat", text, sender=sender)
        return (await self.far_end.wait_for("chat", before + answers))[before + answers - 1]

    @property
    def files(self) -> Path:
        return self.host.home / "groups" / "main" / "files"


@asynccontextmanager
async def staged(
    kind: Kind, home: Path, script: Script, **settings: dict[str, object]
) -> AsyncIterator[Stage]:
    async with ModelServer(script) as server, FarEnd() as far_end:
        chosen: dict[str, Any] = {name: dict(values) for name, values in kind.settings.items()}
        if "local:" in str(kind.settings):
            chosen["agents"]["base_url"] = f"{server.url}/v1"
            (home / "data").mkdir(exist_ok=True)
            (home / "data" / "keys.json").write_text(json.dumps({"local": server.key}))
        for section, values in settings.items():
            chosen[section] = {**chosen.get(section, {}), **values}
        async with started_host(
            home,
            scripted={"url": far_end.url},
            anthropic={"api_key": server.key, "base_url": server.url},
            **chosen,
        ) as host:
            yield Stage(kind, host, far_end, server)


def results(asked: Asked) -> list[str]:
    """What came out of the tools so far, as the model reads it."""
    return [
        json.dumps(message, ensure_ascii=False)
        for message in asked.messages
        if "tool_result" in json.dumps(message) or message.get("role") == "tool"
    ]


def once(first: Part | list[Part], then: str = "done") -> Script:
    """Use a tool, then speak."""
    return lambda asked: Say(then) if results(asked) else first


async def all_turns(host: Host) -> list[Any]:
    def read(tx: Tx) -> list[Any]:
        return list(tx.execute(sa.select(turns)))

    return await host.store.read(read)


async def events(host: Host) -> list[str]:
    """The steps of all that happened, in order."""

    def read(tx: Tx) -> list[str]:
        return list(tx.execute(sa.select(timeline.c.event).order_by(timeline.c.id)).scalars())

    return await host.store.read(read)


async def until(true: Callable[[], object], *, patience: float = 60) -> None:
    """The one wait of all tests, for what tells nobody when it comes; `true` may be a coroutine function.

    The limit is for a machine that does ten other things. No test waits for calm, nor for less than it.
    """
    async with asyncio.timeout(patience):
        while not (await found if isawaitable(found := true()) else found):
            await asyncio.sleep(0.01)


def processes(part: str) -> list[int]:
    """Everything on this machine whose command line has this in it, in boxes too."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            if part in line.read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                found.append(int(line.parent.name))
    return [pid for pid in found if pid != os.getpid()]


def claudes(host: int | None = None) -> list[int]:
    """The Claude Codes that run in the boxes of a host, which is this process unless another is named."""
    return [
        pid
        for pid in processes("/opt/claude/claude")
        if _is_claude(pid) and _descends(pid, host or os.getpid())
    ]


def _is_claude(pid: int) -> bool:
    """Not the programs that started it, whose command lines end with its own."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"/opt/claude/claude\0")
    return False


def _descends(pid: int, ancestor: int) -> bool:
    while pid > 1 and pid != ancestor:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return pid == ancestor
