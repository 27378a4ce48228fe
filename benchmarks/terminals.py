"""Measures the terminals of live sessions beside a bare Claude Code in a box, and a bare terminal: see the README."""

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import structlog
from websockets.asyncio.client import connect

from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.domain.boxes import Box, Mount, TerminalSize
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Rights, Role
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.host.host import Host
from nanoclaw.runtimes.claude_gate import ClaudeGate
from nanoclaw.runtimes.claude_options import BRIEF, PROGRAM
from nanoclaw.sandbox import inside
from nanoclaw.testing import ModelServer, started_host

OWNER = Actor(
    handle=LOCAL_OWNER, name="Owner", rights=Rights(everywhere=Role.OWNER), via="web", language="en"
)
SIZE = TerminalSize(rows=40, columns=120)
READY = b"bypasspermissionson"  # below the prompt, drawn when it can be typed to
_COMMANDS = re.compile(rb"\x1b\[[0-9;?<>=]*[A-Za-z]")  # they stand where there are spaces
ECHO = ("/bin/sh", "-c", "stty raw -echo; echo ready; exec cat")


@dataclass(kw_only=True)
class Cat:
    """In place of Claude Code."""

    box: Box

    async def serve(self, _request: TurnRequest) -> None: ...

    async def close(self) -> None:
        await self.box.kill()


async def wanted(host: Host, prompt: str) -> str:
    async with InboxClient(Address(url=host.url, token=host.token)) as inbox:
        return (await inbox.ask({"question": prompt, "session": {}})).id


async def until_ready(box: Box) -> None:
    seen = b""
    while not _is_ready(seen):
        piece = await box.stdout.read(65536)
        if not piece:
            raise SystemExit(f"it ended: {seen[-500:]!r}")
        seen += piece


def _is_ready(shown: bytes) -> bool:
    return READY in b"".join(_COMMANDS.sub(b"", shown).split())


async def opening(host: Host, count: int) -> None:
    """Attach until the prompt, beside the same program started in a box without anything of ours."""
    terminals = host.live_parts.terminals
    hosts, bare = [], []
    for number in range(count + 1):
        question = await wanted(host, f"Look at number {number}")
        begin = time.perf_counter()
        attachment = await terminals.attach(question, OWNER, rows=SIZE.rows, cols=SIZE.columns)
        seen = b""
        async for piece in attachment.output():
            seen += piece
            if _is_ready(seen):
                break
        hosts.append(time.perf_counter() - begin)
        request = await terminals._for(await terminals.sessions.terminal_request(question), OWNER)
        await terminals.end(question)
        begin = time.perf_counter()
        box = await bare_claude(host, request)
        await until_ready(box)
        bare.append(time.perf_counter() - begin)
        await box.kill()
    ours, theirs = statistics.median(hosts[1:]), statistics.median(bare[1:])
    print(
        f"opening until the prompt: {ours * 1000:.0f} ms, bare {theirs * 1000:.0f} ms, ratio {ours / theirs:.2f}"
    )


async def bare_claude(host: Host, request: TurnRequest) -> Box:
    """The same program with the same options in the same box, and a way to the model that nobody answers."""
    made: Any = host.agents._terminals
    options = made._command(request, ClaudeGate(made.permission, request), request.model)
    environment = {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "ANTHROPIC_API_KEY": "x" * 40,
        "CLAUDE_CONFIG_DIR": "/session",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
        "TERM": "xterm-256color",
    }
    mounts = [
        Mount(source=made.equipment.program, target=PROGRAM),
        Mount(source=made.equipment.system_prompt(request), target=BRIEF),
    ]
    command = [*inside.run_inside("terminal"), "--conversation", str(uuid.uuid4()), "--", *options]
    return await host.agents.session_boxes.start(
        request, command, environment=environment, mounts=mounts, own_terminal=SIZE
    )


async def echo(host: Host, count: int) -> None:
    """A key until `cat` has shown it: at the attachment, and over the WebSocket of the page."""
    terminals = host.live_parts.terminals
    boxes = host.agents.session_boxes

    async def cat(request: TurnRequest, size: TerminalSize) -> Cat:
        return Cat(box=await boxes.start(request, ECHO, own_terminal=size))

    terminals.start = cat
    question = await wanted(host, "Type to cat")
    attachment = await terminals.attach(question, OWNER, rows=24, cols=80)
    output = attachment.output()
    seen = b""
    while b"ready" not in seen:
        seen += await anext(output)
    direct = []
    for number in range(count):
        key = bytes([97 + number % 26])
        begin = time.perf_counter()
        attachment.write(key)
        assert await anext(output) == key
        direct.append(time.perf_counter() - begin)
    await attachment.close()
    url = f"ws://{urlsplit(host.url).netloc}/api/sessions/{question}/terminal?rows=24&cols=80"
    header = {"Authorization": f"Bearer {host.token}"}
    over = []
    async with connect(url, additional_headers=header, proxy=None, compression=None) as socket:
        while not isinstance(await socket.recv(), bytes):
            pass
        for number in range(count):
            key = bytes([97 + number % 26])
            begin = time.perf_counter()
            await socket.send(key)
            while await socket.recv() != key:
                pass
            over.append(time.perf_counter() - begin)
    await terminals.end(question)
    for name, times in (("bare, no box", bare_echo(count)), ("attachment", direct), ("WebSocket", over)):
        cut = statistics.quantiles(times, n=20)
        print(f"echo of cat, {name}: p50 {cut[9] * 1000:.2f} ms, p95 {cut[18] * 1000:.2f} ms")


def bare_echo(count: int) -> list[float]:
    """A terminal and `cat`, and nothing else."""
    ours, theirs = os.openpty()
    with subprocess.Popen(ECHO, stdin=theirs, stdout=theirs, start_new_session=True) as cat:
        seen, times = b"", []
        while b"ready" not in seen:
            seen += os.read(ours, 100)
        for _ in range(count):
            begin = time.perf_counter()
            os.write(ours, b"x")
            os.read(ours, 100)
            times.append(time.perf_counter() - begin)
        cat.kill()
    return times


async def main(*, quick: bool) -> None:
    structlog.configure(processors=[lambda *_: (_ for _ in ()).throw(structlog.DropEvent)])
    with tempfile.TemporaryDirectory(prefix="nc-bench-") as folder:
        async with (
            ModelServer("Looked.", key="sk-bench") as server,
            started_host(
                Path(folder) / "nanoclaw",
                anthropic={"api_key": server.key, "base_url": server.url},
                agents={"runtime": "claude-code"},
            ) as host,
        ):
            await host.agents.session_boxes.prove()
            await echo(host, 100 if quick else 1000)
            host.live_parts.terminals.start = host.agents.open_terminal
            await opening(host, 3 if quick else 10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    asyncio.run(main(quick=parser.parse_args().quick))
