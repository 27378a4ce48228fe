"""Measures the host beside a bare loop, on this machine, in one run. See benchmarks/README.md."""

import argparse
import asyncio
import contextlib
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import sqlalchemy as sa
import structlog

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.memory import Entry, EntryKind
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.parcels import Parcel
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Channel, SendMarks
from nanoclaw.domain.steps import ModelPiece, Step, ToolOffer
from nanoclaw.domain.turns import TextDelta, TurnRequest
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import people, tables
from nanoclaw.durable.clock import now
from nanoclaw.host.host import Host
from nanoclaw.memory import index
from nanoclaw.testing import FarEnd, started_host

MIB = 1024 * 1024


class Watch(Channel):
    """A model and a channel that note when they are called."""

    name = "web"
    newcomers = Role.OWNER
    repeatable = True

    def __init__(self) -> None:
        self.prompted: dict[str, float] = {}
        self.answered: dict[str, float] = {}
        self.sent: dict[str, float] = {}
        self.arrived: dict[str, asyncio.Event] = {}

    async def close(self) -> None:
        pass

    async def stream(
        self, request: TurnRequest, _steps: Sequence[Step], _tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        self.prompted[request.session_id] = time.perf_counter()
        yield TextDelta(text="An answer of a few words.")
        self.answered[request.session_id] = time.perf_counter()

    async def send(self, parcel: Parcel, _send_mark: SendMarks) -> str:
        self.sent[parcel.address] = time.perf_counter()
        self.arrived[parcel.address].set()
        return parcel.id


def incoming(chat: str, number: int, text: str = "") -> Incoming:
    return Incoming(
        kind=ChatKind.PRIVATE,
        addressed=True,
        channel="web",
        address=chat,
        external_id=f"{number}-{new_id('x')}",
        handle="local:owner",
        sender="Owner",
        text=text or f"Message number {number}",
        sent_at=datetime.now(UTC),
    )


async def one_chat(
    host: Host, watch: Watch, count: int, chat: str = "main", texts: Sequence[str] = ("",)
) -> list[float]:
    """Seconds that the host adds to each message: before the model and after it."""
    added = []
    for number in range(count):
        watch.arrived[chat] = asyncio.Event()
        begun = time.perf_counter()
        await host.inbound.receive(incoming(chat, number, texts[number % len(texts)]))
        await watch.arrived[chat].wait()
        session = next(iter(watch.prompted))
        added.append(watch.prompted.pop(session) - begun + watch.sent[chat] - watch.answered.pop(session))
    return added


async def many_chats(host: Host, watch: Watch, chats: int, each: int) -> float:
    """Turns per second when every chat writes again as soon as it has its answer."""

    async def chat(name: str) -> None:
        for number in range(each):
            watch.arrived[name] = asyncio.Event()
            await host.inbound.receive(incoming(name, number))
            await watch.arrived[name].wait()

    begun = time.perf_counter()
    await asyncio.gather(*(chat(f"chat{number}") for number in range(chats)))
    return chats * each / (time.perf_counter() - begun)


async def bare_loop(count: int) -> list[float]:
    """Seconds a message takes through HTTP and back with nothing in between and nothing kept."""
    async with FarEnd() as far_end, httpx.AsyncClient(base_url=far_end.url, timeout=30) as http:

        async def answer_all() -> None:
            offset = 0
            while True:
                got = (await http.get("/updates", params={"offset": offset, "wait": 20})).json()["updates"]
                for update in got:
                    body = {"id": update["id"], "address": update["address"], "author": "agent", "text": "ok"}
                    await http.post("/send", json=body)
                    offset = update["offset"] + 1

        text_answers = asyncio.create_task(answer_all())
        took = []
        for number in range(count):
            begun = time.perf_counter()
            await far_end.say("chat", "hello")
            await far_end.wait_for("chat", number + 1)
            took.append(time.perf_counter() - begun)
        text_answers.cancel()
        await asyncio.gather(text_answers, return_exceptions=True)
    return took


async def grow(host: Host, stored: int) -> None:
    """Fill the first room with that many answered messages, as if they had been said long ago."""

    def story(tx: sa.Connection) -> None:
        chat = people.chat_at(tx, "web", "main")
        assert chat is not None
        person = tx.execute(sa.select(tables.people.c.id)).scalar_one()
        session = tx.execute(
            sa.select(tables.sessions.c.id).where(tables.sessions.c.chat_id == chat.id)
        ).scalar_one()
        at = now() - timedelta(days=30)
        spoken = {"person_id": person, "sender": "Owner", "sent_at": at, "received_at": at}
        rows: dict[str, list[dict[str, object]]] = {
            name: [] for name in ("messages", "turns", "session_queue", "parcels", "timeline")
        }
        text = "A message of some length that was said and answered long ago. " * 3
        for _ in range(stored):
            m, t, o = new_id("m"), new_id("t"), new_id("o")
            said = {"id": m, "channel": "web", "external_id": m, "chat_id": chat.id, "thread": ""}
            rows["messages"].append({**said, **spoken, "text": text})
            turn = {"id": t, "session_id": session, "state": "answered", "prompt": text, "answer": text}
            rows["turns"].append({**turn, "started_at": at, "finished_at": at})
            rows["session_queue"].append(
                {"session_id": session, "message_id": m, "turn_id": t, "end": "answered"}
            )
            answer = {
                "id": o,
                "chat_id": chat.id,
                "thread": "",
                "author": "agent",
                "text": text,
                "turn_id": t,
            }
            rows["parcels"].append(
                {**answer, "message_id": m, "state": "delivered", "attempts": 1, "created_at": at}
            )
            step = {"id": new_id("e"), "subject": m, "at": at, "event": "received"}
            rows["timeline"].append({**step, "detail": {"channel": "web"}})
        for name, values in rows.items():
            tx.execute(sa.insert(tables.metadata.tables[name]), values)

    await host.store.write(story)


async def learn(host: Host, count: int) -> list[str]:
    """Put so many facts into memory, with words as frequent as in a language; returns questions about them."""
    chance = random.Random(7)  # noqa: S311 - not a secret
    words = ["".join(chance.choices("aeioubdgklmnprst", k=6)) for _ in range(5000)]
    weights = [1 / (rank + 10) for rank in range(len(words))]

    def sentence(length: int) -> str:
        return " ".join(chance.choices(words, weights, k=length))

    facts = [
        Entry(
            company="demo",
            id=f"fact_{number:06}",
            kind=EntryKind.FACT,
            text=sentence(12),
            at=now() - timedelta(minutes=number),
            file="memory/facts.jsonl",
        )
        for number in range(count)
    ]
    await host.store.write(lambda tx: index.put(tx, facts))
    return [sentence(6) for _ in range(100)]


async def process_figures(home: Path, messages: int) -> dict[str, float]:
    """The real program in its own process: start to ready, memory, idle CPU."""
    environment = {
        **os.environ,
        "NANOCLAW_HOME": str(home),
        "NANOCLAW_WEB_PORT": "0",
        "NANOCLAW_DEMO_PACE": "0",
        "NANOCLAW_LIMITS_PERSON_PER_MINUTE": "0",
        "NANOCLAW_LIMITS_GROUP_PER_MINUTE": "0",
    }
    first_start = await started_in(environment)
    await stop(first_start[0])
    process, ready = await started_in(environment)
    found = {"first start, s": first_start[1], "start to ready, s": ready}
    async with client(home) as http:
        room = (await http.get("/api/rooms")).json()["rooms"][0]["id"]
        begun = time.perf_counter()
        await http.post(f"/api/rooms/{room}/messages", json={"text": "hello", "client_id": "0"})
        await until_idle(http)
        found["first answer after ready, s"] = time.perf_counter() - begun
        await asyncio.sleep(1)
        found["memory idle, MiB"] = memory(process.pid)
        spent = cpu(process.pid)
        await asyncio.sleep(10)
        found["idle CPU, %"] = (cpu(process.pid) - spent) * 10

        async def talk(start: int) -> None:
            for number in range(start, messages, 20):
                body = {"text": f"/status {number}" if number % 2 else "hello", "client_id": f"n{number}"}
                await http.post(f"/api/rooms/{room}/messages", json=body)

        await asyncio.gather(*(talk(start) for start in range(20)))
        await until_idle(http)
        found[f"memory after {messages} messages, MiB"] = memory(process.pid)
    await stop(process)
    return found


async def started_in(environment: dict[str, str]) -> tuple[asyncio.subprocess.Process, float]:
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "nanoclaw", "up", "--no-chat"),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    while b"http://" not in (line := await process.stdout.readline()):
        assert line, "the host did not start"
    return process, time.perf_counter() - begun


async def stop(process: asyncio.subprocess.Process) -> None:
    process.terminate()
    await process.communicate()


@contextlib.asynccontextmanager
async def client(home: Path) -> AsyncIterator[httpx.AsyncClient]:
    token = (home / "data" / "web-token").read_text().strip()
    url = (home / "data" / "host.json").read_text().split('"url": "')[1].split('"')[0]
    async with httpx.AsyncClient(
        base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60
    ) as http:
        yield http


async def until_idle(http: httpx.AsyncClient) -> None:
    while True:
        status = (await http.get("/api/status")).json()
        if not (status["waiting"] or status["running"] or status["undelivered"]):
            return
        await asyncio.sleep(0.01)


def memory(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize() / MIB


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


async def bare_start() -> float:
    """A Python that loads the same web server and database library and serves one page."""
    script = "import asyncio, sqlalchemy, uvicorn, starlette.applications; print('ready', flush=True)"
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    took = time.perf_counter() - begun
    await process.communicate()
    return took


async def measure(*, quick: bool, url: str) -> None:
    scale = 0.1 if quick else 1.0
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    count = max(int(400 * scale), 20)
    bare = await bare_loop(count)
    base = statistics.median(bare)
    print_line("bare loop, a message through HTTP and back, ms", base * 1000, base, bare)
    with tempfile.TemporaryDirectory() as folder:
        watch = Watch()
        settings = {"database": {"url": url}} if url else {}
        turns: dict[str, object] = {"batch_window": 0}
        async with started_host(
            Path(folder) / "one", model=watch, channels={"web": watch}, turns=turns, **settings
        ) as host:
            await one_chat(host, watch, 30)
            added = await one_chat(host, watch, count)
            print_line("host overhead, one chat, ms", statistics.median(added) * 1000, base, added)
            rate = await many_chats(host, watch, 50, max(int(20 * scale), 4))
            print_figure("turns per second, 50 sessions", rate, f"{rate * base:.2f} of the bare loop's")
            before = 0
            first = 0.0
            for stored in (10, 1_000, 100_000 if not quick else 10_000):
                await grow(host, stored - before)
                before = stored
                await one_chat(host, watch, 10)
                added = await one_chat(host, watch, count)
                middle = statistics.median(added)
                first = first or middle
                print_figure(
                    f"overhead with {stored:,} stored messages, ms",
                    middle * 1000,
                    f"{middle / first:.2f} of the first",
                )
            questions = await learn(host, 10_000)
            await one_chat(host, watch, 10, texts=questions)
            added = await one_chat(host, watch, count, texts=questions)
            print_line(
                "overhead with 10,000 facts in memory, ms", statistics.median(added) * 1000, base, added
            )
        if not url:
            start = await bare_start()
            print_figure("bare start (imports only), s", start, "1.00")
            figures = await process_figures(Path(folder) / "two", int(10_000 * scale))
            for name, value in figures.items():
                ratio = f"{value / start:.2f} of the bare start" if name.endswith(", s") else ""
                print_figure(name, value, ratio)


def print_line(name: str, value: float, base: float, values: list[float]) -> None:
    tail = percentile(values, 0.99) * 1000
    print_figure(name, value, f"{value / 1000 / base:.2f} of the bare loop (p99 {tail:.1f} ms)")


def print_figure(name: str, value: float, note: str) -> None:
    print(f"{name:<52} {value:>9.2f}   {note}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--postgres", default="", metavar="URL")
    chosen = parser.parse_args()
    asyncio.run(measure(quick=chosen.quick, url=chosen.postgres))
