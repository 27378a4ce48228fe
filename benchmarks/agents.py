"""Measures real agents beside a bare call of the same scripted model server, in one run. See benchmarks/README.md."""

import argparse
import asyncio
import contextlib
import gc
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import structlog

from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.money import Spender
from nanoclaw.domain.parcels import Parcel
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Channel, Model, SendMarks
from nanoclaw.domain.steps import ModelPiece, Step, ToolOffer
from nanoclaw.domain.turns import ModelAsked, Spent, TurnRequest
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import people, schema, wirings
from nanoclaw.durable.store import Tx, open_store
from nanoclaw.gateway.http import HttpGateway, Upstream
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.model_calls import Gateway, GatewayLine
from nanoclaw.gateway.prices import Prices
from nanoclaw.host.host import Host
from nanoclaw.testing import ModelServer, started_host
from nanoclaw.testing.model_parts import Asked, Part, Say, Use

MIB = 1024 * 1024
MODEL = "claude-sonnet-5"
KEY = "sk-bench"
COMMANDS = 20  # of a turn that runs some
PAUSE = 0.02  # between two calls; nobody asks a model more often


class Arrivals(Channel):
    """A channel that notes when an answer arrives."""

    name = "web"
    newcomers = Role.OWNER
    repeatable = True

    def __init__(self) -> None:
        self.arrived: dict[str, asyncio.Event] = {}

    async def send(self, parcel: Parcel, _send_mark: SendMarks) -> str:
        self.arrived[parcel.address].set()
        return parcel.id


def answer(asked: Asked) -> Part:
    """A few words; when it is asked for commands the n-th time, n times as many have to have run first."""
    said = json.dumps(asked.messages)
    wanted = max(map(int, re.findall(r"commands (\d+)", said)), default=0) * COMMANDS
    if len(re.findall(r'"role": "tool"|"type": "tool_result"', said)) < wanted:
        return Use("Bash" if "Bash" in asked.tools else "bash", {"command": "true"})
    return Say("An answer of a few words.")


async def serve_model() -> None:
    """In a process of its own, so that its work is not counted as the host's."""
    async with ModelServer(answer, key=KEY) as server:
        print(server.url, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextlib.asynccontextmanager
async def model_server() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        __file__,
        "--serve-model",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    assert process.stdin
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


def body(*, stream: bool) -> bytes:
    """Of the size that Claude Code sends."""
    return json.dumps(
        {
            "model": MODEL,
            "max_tokens": 1000,
            "stream": stream,
            "system": "word " * 12_000,
            "messages": [{"role": "user", "content": "Hello"}],
        }
    ).encode()


async def timed_calls(
    http: aiohttp.ClientSession, url: str, count: int, *, stream: bool, key: str = KEY
) -> list[float]:
    took, sent = [], body(stream=stream)
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    for _ in range(count):
        begun = time.perf_counter()
        async with http.post(f"{url}/v1/messages", data=sent, headers=headers) as answer:
            await answer.read()
            assert answer.status == 200, await answer.text()
        took.append(time.perf_counter() - begun)
    return took


async def gateway_latency(url: str, folder: Path, count: int) -> None:
    store = open_store(f"sqlite:///{folder / 'costs.db'}")
    schema.upgrade(store)
    ledger = Ledger(store, HostId("h_bench"), Prices(), lambda _company: Budget(), folder / "cost_log.jsonl")
    gateway = HttpGateway(Gateway(ledger), Upstream(base_url=url, key=KEY), str)
    spender = Spender(company="c", group="g", session_id="s", turn_id="t", runtime="bench")
    door = await gateway.open(GatewayLine(spender=spender, listener=lambda _event: None, models=("*",)))
    connector = aiohttp.UnixConnector(path=str(door.socket))
    async with aiohttp.ClientSession() as direct, aiohttp.ClientSession(connector=connector) as through:
        for name, stream in (("JSON", False), ("stream", True)):
            bare, passed = [], []
            for _ in range(count):  # in turns, so that a busy moment of the machine hits both
                bare += await timed_calls(direct, url, 1, stream=stream)
                await asyncio.sleep(PAUSE)
                passed += await timed_calls(through, "http://gateway", 1, stream=stream, key=door.token)
                await asyncio.sleep(PAUSE)
            one, other = statistics.median(bare), statistics.median(passed)
            tell(f"gateway, {name}: added p50", (other - one) * 1000, "ms", other / one)
    await gateway.close()
    await ledger.close()
    store.close()


def incoming(chat: str, text: str) -> Incoming:
    return Incoming(
        kind=ChatKind.PRIVATE,
        addressed=True,
        channel="web",
        address=chat,
        external_id=new_id("x"),
        handle="local:owner",
        sender="Owner",
        text=text,
        sent_at=datetime.now(UTC),
    )


async def turn(host: Host, arrivals: Arrivals, chat: str = "main", text: str = "Hello") -> float:
    arrivals.arrived[chat] = asyncio.Event()
    begun = time.perf_counter()
    await host.inbound.receive(incoming(chat, text))
    await arrivals.arrived[chat].wait()
    return time.perf_counter() - begun


@contextlib.asynccontextmanager
async def host_with(
    url: str, home: Path, runtime: str, driver: str = "auto"
) -> AsyncIterator[tuple[Host, Arrivals]]:
    arrivals = Arrivals()
    async with started_host(
        home,
        channels={"web": arrivals},
        agents={"runtime": runtime},
        anthropic={"api_key": KEY, "base_url": url},
        turns={"concurrent": 20},
        boxes={"driver": driver},
    ) as host:
        yield host, arrivals


class Timed:
    """A model that notes when its request leaves and when its answer is complete."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.asked_at = self.over_at = 0.0

    async def stream(
        self, request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        async for piece in self._model.stream(request, steps, tools):
            if isinstance(piece, ModelAsked):
                self.asked_at = time.perf_counter()
            elif isinstance(piece, Spent):
                self.over_at = time.perf_counter()
            yield piece

    async def close(self) -> None:
        await self._model.close()


async def native(url: str, folder: Path, bare: float, count: int) -> None:
    async with host_with(url, folder / "native", "native") as (host, arrivals):
        runtime: Any = await host.agents.runtimes["native"].load()  # type: ignore[attr-defined]
        timed = runtime._model = Timed(runtime._model)
        await turn(host, arrivals)
        overheads = []
        for _ in range(count):
            whole = await turn(host, arrivals)
            overheads.append(whole - (timed.over_at - timed.asked_at))
        overhead = statistics.median(overheads)
        tell("native, warm turn: overhead p50", overhead * 1000, "ms", overhead / bare)

        async def chat(name: str) -> None:
            for _ in range(5):
                await turn(host, arrivals, name)

        begun = time.perf_counter()
        await asyncio.gather(*(chat(f"chat{number}") for number in range(20)))
        rate = 100 / (time.perf_counter() - begun)
        tell("native, 20 chats x 5 messages", rate, "answers/s", rate * bare)
        gc.collect()
        before = rss()
        for number in range(100):
            await turn(host, arrivals, f"idle{number}")
        gc.collect()
        tell("native, 100 more idle sessions", (rss() - before) / MIB, "MiB", rss() / before)


async def claude_code(url: str, folder: Path, bare: float, count: int) -> None:
    async with host_with(url, folder / "claude", "claude-code") as (host, arrivals):
        await turn(host, arrivals)  # loads the packages
        cold = [await turn(host, arrivals, f"cold{number}") for number in range(5)]
        tell(
            "claude-code, cold turn: overhead p50",
            (statistics.median(cold) - bare) * 1000,
            "ms",
            statistics.median(cold) / bare,
        )
        prewarmed = []
        for number in range(5):
            name = f"warm{number}"
            chat = await host.store.write(lambda tx, name=name: _room(tx, name))  # type: ignore[misc]
            await host.readiness.make_ready(chat)
            prewarmed.append(await turn(host, arrivals, name))
        tell(
            "claude-code, prewarmed turn: overhead p50",
            (statistics.median(prewarmed) - bare) * 1000,
            "ms",
            statistics.median(prewarmed) / bare,
        )
        warm = [await turn(host, arrivals, "warm4") for _ in range(count)]
        tell(
            "claude-code, warm turn: overhead p50",
            (statistics.median(warm) - bare) * 1000,
            "ms",
            statistics.median(warm) / bare,
        )


def _room(tx: Tx, name: str) -> str:
    at = datetime.now(UTC)
    chat = people.add_chat(tx, channel="web", address=name, title=name, at=at)
    wirings.wire(tx, chat.id, chat.kind, "main", at)
    return chat.id


async def commands(url: str, folder: Path, bare: float) -> None:
    """What a turn with commands takes longer than one without, for each command and the model call after it."""
    for runtime, driver in (
        ("native", "bubblewrap"),
        ("claude-code", "bubblewrap"),
        ("claude-code", "podman"),
    ):
        async with host_with(url, folder / f"{runtime}-{driver}", runtime, driver) as (host, arrivals):
            took = []
            for number in range(1, 7):
                longer = await turn(host, arrivals, text=f"commands {number}")
                took.append((longer - await turn(host, arrivals)) / COMMANDS)
            each = statistics.median(took)
            tell(f"{runtime}, a command, {driver}", each * 1000, "ms", each / bare)


def rss() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def tell(what: str, figure: float, unit: str, ratio: float) -> None:
    print(f"{what:45} {figure:9.2f} {unit:10} {ratio:7.2f} x the bare call", flush=True)


async def measure(chosen: Callable[[str], bool], count: int) -> None:
    with tempfile.TemporaryDirectory(prefix="nanoclaw-bench-") as name:
        folder = Path(name)
        async with model_server() as url, aiohttp.ClientSession() as http:
            bare = statistics.median(await timed_calls(http, url, count, stream=True))
            tell("a bare call, streamed", bare * 1000, "ms", 1.0)
            if chosen("gateway"):
                await gateway_latency(url, folder, 100)
            if chosen("native"):
                await native(url, folder, bare, count)
            if chosen("claude-code"):
                await claude_code(url, folder, bare, count)
            if chosen("commands"):
                await commands(url, folder, bare)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what", nargs="*", help="gateway, native, claude-code, commands; all of them if none is named"
    )
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--serve-model", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    if wanted.serve_model:
        asyncio.run(serve_model())
    else:
        asyncio.run(measure(lambda name: not wanted.what or name in wanted.what, wanted.count))


if __name__ == "__main__":
    main()
