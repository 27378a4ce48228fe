"""Measures what it costs to decide who may speak, beside an owner's message in one run. See benchmarks/README.md."""

import asyncio
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import ChatKind, Engage, EngageMode, UnknownSenders, Wiring
from nanoclaw.durable import history, memberships, people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

_MESSAGES = 200
_QUESTIONS = 40
_FLOOD = 2000
OWNER, MEMBER, OTHER, STRANGER = "local:owner", "net:1", "net:2", "net:3"


def incoming(handle: str, number: int, *, chat: str = "main") -> Incoming:
    return Incoming(
        kind=ChatKind.PRIVATE,
        addressed=True,
        channel="web",
        address=chat,
        external_id=f"{handle} {number}",
        handle=handle,
        sender=handle,
        text="Assistant, what is the plan for today?",
        sent_at=datetime.now(UTC),
    )


def furnish(tx: Tx) -> None:
    """Members and a stranger in one chat that turns strangers away, and a chat where the agent waits for a pattern."""
    for handle in (MEMBER, OTHER, STRANGER):
        person = people.add_person(tx, handle=handle, name=handle, role=Role.STRANGER, at=now())
        if handle != STRANGER:
            memberships.put(tx, person.id, "main", Role.MEMBER, now())
    main = people.chat_at(tx, "web", "main")
    assert main is not None
    people.set_strangers(tx, main.id, UnknownSenders.STRICT)
    other = people.add_chat(tx, channel="web", address="pattern", title="pattern", at=now())
    wirings.wire(tx, other.id, other.kind, "main", now())
    engage = Engage(mode=EngageMode.PATTERN, pattern=r"^(assistant|helper)\W")
    wirings.change(tx, Wiring(chat_id=other.id, group="main", engage=engage))


async def settled(host: Host, message_id: str) -> None:
    """Until nothing more happens to a message: what comes next is not slowed down by it."""
    while True:
        [item] = await host.store.read(lambda tx: history.messages_by_id(tx, [message_id]))
        if item.state not in (history.WAITING, history.RUNNING):
            return
        await asyncio.sleep(0.002)


async def time_receiving(host: Host) -> None:
    """Until a message is on disk with its verdict; one kind after the other, in turns."""
    kinds = {
        "an owner": (OWNER, "main"),
        "a member": (MEMBER, "main"),
        "a member, by a pattern": (MEMBER, "pattern"),
        "a stranger, dropped": (STRANGER, "main"),
    }
    took: dict[str, list[float]] = {name: [] for name in kinds}
    for number in range(_MESSAGES):
        for name, (handle, chat) in kinds.items():
            begun = time.perf_counter()
            message_id = await host.inbound.receive(incoming(handle, number, chat=chat))
            took[name].append((time.perf_counter() - begun) * 1000)
            await settled(host, message_id)
    owner = statistics.median(took["an owner"])
    for name, each in took.items():
        print(
            f"{name}: {statistics.median(each):.2f} ms, {statistics.median(each) / owner:.2f} of an owner's"
        )


async def time_asking(host: Host, model: ScriptedModel, handle: str) -> float:
    """Until the agent has a message, in milliseconds."""
    took = []
    for number in range(_QUESTIONS):
        before, begun = len(model.asked), time.perf_counter()
        message_id = await host.inbound.receive(incoming(handle, number))
        await model.wait_for_calls(before + 1)
        took.append((time.perf_counter() - begun) * 1000)
        await settled(host, message_id)
    return statistics.median(took)


async def time_beside_flood(host: Host, model: ScriptedModel) -> None:
    """Someone else has written far more than they may, in the same chat."""
    alone = await time_asking(host, model, MEMBER)
    for number in range(_FLOOD):
        await host.inbound.receive(incoming(OTHER, number))
    beside = await time_asking(host, model, OWNER)
    print(
        f"beside a flood of {_FLOOD}: {beside:.1f} ms, {beside / alone:.2f} of {alone:.1f} ms in a quiet chat"
    )


async def main() -> None:
    model = ScriptedModel("ok")
    with tempfile.TemporaryDirectory() as folder:
        async with started_host(Path(folder) / "one", model=model) as host:
            await host.store.write(furnish)
            await time_receiving(host)
        limits = {"person_per_minute": 60, "group_per_minute": 0}
        async with started_host(Path(folder) / "two", model=model, limits=limits) as host:
            await host.store.write(furnish)
            await time_beside_flood(host, model)


if __name__ == "__main__":
    asyncio.run(main())
