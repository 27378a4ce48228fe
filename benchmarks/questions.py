"""Measures what questions to people cost, beside a host without any and beside a message. See benchmarks/README.md."""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog
from benchmarks.measuring import Room, compare_idle, incoming, print_figure, settled, tail

from nanoclaw.domain.messages import Press
from nanoclaw.domain.people import LOCAL_OWNER, Role
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import PROGRAM, Asker, Question
from nanoclaw.domain.steps import ModelPiece, Returned, ToolCall
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import people, questions, tables
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

_OPEN = 10_000
_AT_ONCE = 20  # people who decide at the same time
ASK = "ask"
WANTED = read_wanted(RequestHuman(question="Deploy?"), usual_timeout=timedelta(days=6))


class Agent(ScriptedModel):
    """Told to, it asks for approval; then, and when it is woken, it says something."""

    def __init__(self) -> None:
        super().__init__(self._pieces)

    def _pieces(self, request: TurnRequest) -> Iterator[str | ModelPiece]:
        returned = any(isinstance(step, Returned) for step in self.steps[-1])
        if request.prompt.endswith(f">{ASK}</message>\n</messages>") and not returned:
            number = len(self.asked)
            yield ToolCall(id=str(number), name="request_human", arguments={"question": f"Deploy {number}?"})
        else:
            yield "An answer of a few words."


async def idle(host: Host) -> None:
    """Until no turn runs or waits."""
    open_turns = sa.select(sa.func.count()).where(tables.work.c.kind == "turn")
    while True:
        if not await host.store.read(lambda tx: tx.execute(open_turns).scalar_one()):
            return
        await asyncio.sleep(0.002)


async def until_asked(host: Host) -> Question:
    while True:
        if found := await host.store.read(questions.list_open):
            return found[0]
        await asyncio.sleep(0.002)


async def until_awaited(host: Host, question: Question) -> None:
    while True:
        if host.question_parts.waits.anyone_on(question.id):
            return
        await asyncio.sleep(0.002)


async def time_messages(host: Host, room: Room, model: Agent, count: int) -> list[float]:
    """A message handed in until the model is called with it, in milliseconds."""
    took = []
    for _ in range(count):
        before, begun = len(model.asked), time.perf_counter()
        message_id = await room.front.receive(incoming("hello"))
        await model.wait_for_calls(before + 1)
        took.append((time.perf_counter() - begun) * 1000)
        await settled(host, message_id)
    return took


async def time_presses(host: Host, room: Room, model: Agent, count: int, *, waits: bool) -> list[float]:
    """A press handed in until the model is called with the answer; the turn waits for it, or has ended."""
    took = []
    for _ in range(count):
        message_id = await room.front.receive(incoming(ASK))
        question = await until_asked(host)
        if waits:
            await until_awaited(host, question)
        else:
            await settled(host, message_id)
            await idle(host)
        before, begun = len(model.asked), time.perf_counter()
        data = question.button_data(question.options[0])
        pressed = await room.front.press(
            Press(channel="web", address="main", handle=LOCAL_OWNER, platform_id="", data=data)
        )
        await model.wait_for_calls(before + 1)
        took.append((time.perf_counter() - begun) * 1000)
        assert pressed.taken, pressed.text
        await settled(host, message_id)
        await idle(host)
    return took


async def measure_waking(folder: Path, count: int, url: str) -> None:
    model, room = Agent(), Room()
    settings: dict[str, Any] = {"turns": {"batch_window": 0}}
    if url:
        settings["database"] = {"url": url}
    for name, hold in (("the turn waits", 3), ("the session is woken", 0)):
        async with started_host(
            folder / f"hold{hold}",
            model=model,
            channels={"web": room},
            questions={"hold_minutes": hold},
            **settings,
        ) as host:
            await time_messages(host, room, model, 10)
            message = await time_messages(host, room, model, count)
            took = await time_presses(host, room, model, count, waits=bool(hold))
            base = statistics.median(message)
            print_figure(f"message to model called, p50, ms ({name})", base, f"p99 {tail(message):.1f}")
            ratio = f"{statistics.median(took) / base:.2f} of a message's; p99 {tail(took):.1f}"
            print_figure(f"press to model called, p50, ms ({name})", statistics.median(took), ratio)


async def measure_deciding(folder: Path, count: int, url: str) -> None:
    """Decisions per second, beside transactions that change one row."""
    settings: dict[str, Any] = {"database": {"url": url}} if url else {}
    room = Room()
    async with started_host(folder / "many", model=Agent(), channels={"web": room}, **settings) as host:
        asked = [await host.question_parts.questions.ask(WANTED, asker(number)) for number in range(count)]

        async def decide(start: int) -> None:
            for question in asked[start::_AT_ONCE]:
                data = question.button_data(question.options[0])
                pressed = await room.front.press(
                    Press(channel="web", address="main", handle=LOCAL_OWNER, platform_id="", data=data)
                )
                assert pressed.taken, pressed.text

        def change(tx: Tx) -> None:
            owner = people.person_named(tx, LOCAL_OWNER)
            assert owner is not None
            people.set_role(tx, owner.id, Role.OWNER)

        async def bare(start: int) -> None:
            for _ in range(start, count, _AT_ONCE):
                await host.store.write(change)

        begun = time.perf_counter()
        await asyncio.gather(*map(bare, range(_AT_ONCE)))
        plain = count / (time.perf_counter() - begun)
        begun = time.perf_counter()
        await asyncio.gather(*map(decide, range(_AT_ONCE)))
        rate = count / (time.perf_counter() - begun)
        print_figure("transactions of one row per second", plain, "1.00")
        print_figure(f"decisions per second, {_AT_ONCE} people", rate, f"{rate / plain:.2f} of those")


def asker(number: int) -> Asker:
    return Asker(
        session_id=None, execution_id=PROGRAM, asked_id=f"bench {number}", group="main", company="demo"
    )


async def fill(home: Path, count: int) -> None:
    """A workspace with one question that was asked, and as many like it as are wanted."""
    async with started_host(home, model=Agent()) as host:
        question = await host.question_parts.questions.ask(WANTED, asker(0))

        def story(tx: Tx) -> None:
            for table, column in ((tables.human_interactions, "id"), (tables.work, "key")):
                one = tx.execute(sa.select(table).where(table.c[column] == question.id)).mappings().one()
                rows = [
                    {**one, column: ids[number], **({"asked_id": f"copy {number}"} if column == "id" else {})}
                    for number in range(count - 1)
                ]
                tx.execute(sa.insert(table), rows)

        ids = [questions.new_question_id() for _ in range(count)]
        await host.store.write(story)


async def measure_idle(folder: Path, seconds: float) -> None:
    full = folder / "full"
    await fill(full, _OPEN)
    await compare_idle(folder / "none", full, seconds, f"{_OPEN:,} questions open")


async def measure(*, quick: bool, url: str) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    with tempfile.TemporaryDirectory() as folder:
        await measure_waking(Path(folder), 20 if quick else 200, url)
        await measure_deciding(Path(folder), 100 if quick else 1000, url)
        if not url:
            await measure_idle(Path(folder), 10 if quick else 60)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--postgres", default="", metavar="URL")
    chosen = parser.parse_args()
    asyncio.run(measure(quick=chosen.quick, url=chosen.postgres))
