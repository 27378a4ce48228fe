"""Measures what a session takes along to another runtime: how long packing takes beside the model's own time.

See benchmarks/README.md.
"""

import argparse
import asyncio
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import sqlalchemy as sa
import structlog
from benchmarks.measuring import Room, incoming, print_figure, settled

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.messages import File, FileKind
from nanoclaw.domain.transfers import LIFETIME, Target, Transfer
from nanoclaw.durable import messages, sessions, transfers
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages as message_rows
from nanoclaw.durable.tables import session_queue as queued_rows
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

_MESSAGES, _ARTIFACTS, _ARTIFACT_BYTES = 500, 20, 100_000
_TEXT = """The roastery sends fresh coffee to homes and small offices for 12.50 EUR a month since 2019,
order 48213 due 2026-11-17, see https://shop.example/p?id=123456789 and the table: 1240, 46, 312, 4.6;
свіжа кава щомісяця коштує 1250 грн за пачку, замовлення 48213 від 17.11.2026, деталі в таблиці нижче."""
_MOST_SECONDS = 2.0  # issue 21


def prose(length: int, start: int = 0) -> str:
    """Words, figures and, in every twentieth line, a number and an address that are to be found."""
    words, size = _TEXT.split(), 0
    lines: list[str] = []
    while size < length:
        place = start + len(lines)
        line = " ".join(words[(place * 7 + each * 3) % len(words)] for each in range(14))
        if place % 20 == 0:
            line += f" +380 67 123 {place % 90 + 10} 67 person{place}@else.example"
        lines.append(line)
        size += len(line.encode()) + 1
    return "\n".join(lines).encode()[:length].decode("utf-8", "ignore")


async def fill(host: Host, message_id: str) -> Transfer:
    """A session with so many messages, and a transfer of it."""
    folder = host.home / "groups" / "main" / "files" / "received"
    folder.mkdir(parents=True, exist_ok=True)
    sent = []
    for number in range(_ARTIFACTS):
        name = f"report-{number}.md"
        (folder / name).write_text(prose(_ARTIFACT_BYTES, number))
        sent.append(
            File(
                kind=FileKind.DOCUMENT,
                name=name,
                media_type="text/markdown",
                ref=name,
                part_of=name,
                path=f"received/{name}",
            )
        )

    def write(tx: Tx) -> Transfer:
        first = messages.get(tx, message_id)
        [session] = sessions.of_chat(tx, first.chat_id, first.thread) if first else []
        row = tx.execute(sa.select(message_rows).where(message_rows.c.id == message_id)).one()
        rows = [
            dict(row._mapping)
            | {"id": new_id("m"), "external_id": new_id("x"), "text": prose(40 + number % 560, number)}
            | {"files": [asdict(sent[number])] if number < len(sent) else None}
            for number in range(_MESSAGES)
        ]
        tx.execute(sa.insert(message_rows), rows)
        tx.execute(
            sa.insert(queued_rows),
            [{"session_id": session.id, "message_id": each["id"], "end": "answered"} for each in rows],
        )
        assert first
        made = Transfer(
            id=transfers.new_transfer_id(),
            company="demo",
            group=session.group,
            session_id=session.id,
            chat_id=session.chat_id,
            person_id=first.person_id,
            purpose="a deep analysis",
            source_runtime="nanoclaw",
            source_version="1",
            target=Target.MANUAL,
            language="en",
            created_at=now(),
            expires_at=now() + LIFETIME,
        )
        transfers.add(tx, made)
        return made

    return await host.store.write(write)


async def measure_export(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        room = Room()
        home = Path(place) / "nanoclaw"
        async with started_host(home, model=ScriptedModel("Done."), channels={"web": room}) as host:
            message_id = await room.front.receive(incoming("begin"))
            assert message_id
            await settled(host, message_id)
            transfer = await fill(host, message_id)
            packages = host.transfer_parts.packages
            took: list[tuple[float, float]] = []
            for _ in range(rounds):
                wall, cpu = time.perf_counter(), time.process_time()
                package = await packages.pack(transfer)
                took.append((time.perf_counter() - wall, time.process_time() - cpu))
            wall = time.perf_counter()
            await asyncio.to_thread(packages.zipped, transfer.id)
            zipped = time.perf_counter() - wall
            removed = sum(package.removed[kind] for kind in ("phone", "e-mail"))
            size = sum(each["size"] for each in package.manifest["files"].values())
        first, again = took[0], min(took)
        wanted = f"at most {_MOST_SECONDS:.0f} s beside the model call"
        print_figure("export, the first time: seconds", first[0], f"{first[1]:.2f} s of CPU; {wanted}")
        print_figure("export, again: seconds", again[0], f"{again[1]:.2f} s of CPU; {wanted}")
        print_figure(
            "zip: seconds", zipped, f"{size / 1e6:.1f} MB, {removed} addresses and numbers taken out"
        )


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    asyncio.run(measure_export(parser.parse_args().rounds))
