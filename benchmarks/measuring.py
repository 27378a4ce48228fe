"""What the measurements of a whole host share: a room that takes everything, idle hosts side by side, figures."""

import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.messages import File, Incoming
from nanoclaw.domain.parcels import Parcel, Preview
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.ports import Front, Handover
from nanoclaw.durable import history
from nanoclaw.host.wiring import Host
from nanoclaw.testing import started_host


class Room:
    """A channel that takes everything, and tells where to hand in what people do."""

    name = "web"
    preview_every = 1.0
    front: Front

    def leaves_at_once(self, _parcel: Parcel) -> bool:
        return False

    def show_working(self, preview: Preview, *, again: bool) -> None:
        pass

    def show_rest(self, preview: Preview, *, said: bool) -> None:
        pass

    async def start(self, front: Front) -> None:
        self.front = front

    async def stop(self) -> None:
        pass

    async def preview(self, preview: Preview) -> None:
        pass

    async def fetch(self, file: File, target: Path, most_bytes: int) -> None:
        pass

    async def send(self, parcel: Parcel, _handover: Handover) -> str:
        return parcel.id


def incoming(text: str) -> Incoming:
    return Incoming(
        channel="web",
        address="main",
        external_id=new_id("x"),
        handle=LOCAL_OWNER,
        sender="Owner",
        text=text,
        sent_at=datetime.now(UTC),
    )


async def settled(host: Host, message_id: str) -> None:
    while True:
        [item] = await host.store.read(lambda tx: history.messages_by_id(tx, [message_id]))
        if item.state not in (history.WAITING, history.RUNNING):
            return
        await asyncio.sleep(0.002)


async def compare_idle(none: Path, full: Path, seconds: float, what: str) -> None:
    """Two real programs side by side, for the same seconds: one has nothing to wait for, the other much."""
    async with started_host(none):
        pass
    started = {home: await start(home) for home in (none, full)}
    await asyncio.sleep(10)
    before = {home: cpu(process.pid) for home, process in started.items()}
    await asyncio.sleep(seconds)
    spent = {home: (cpu(process.pid) - before[home]) * 100 / seconds for home, process in started.items()}
    for process in started.values():
        process.terminate()
        await process.communicate()
    print_figure("idle CPU, nothing to wait for, %", spent[none], "1.00")
    ratio = spent[full] / spent[none] if spent[none] else float("nan")
    print_figure(f"idle CPU, {what}, %", spent[full], f"{ratio:.2f}")


async def start(home: Path) -> asyncio.subprocess.Process:
    environment = {**os.environ, "NANOCLAW_HOME": str(home), "NANOCLAW_WEB_PORT": "0"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "nanoclaw", "up", "--no-chat"),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    while b"http://" not in (line := await process.stdout.readline()):
        assert line, "the host did not start"
    return process


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tail(values: list[float]) -> float:
    return sorted(values)[min(int(len(values) * 0.99), len(values) - 1)]


def print_figure(name: str, value: float, note: str) -> None:
    print(f"{name:<60} {value:>9.2f}   {note}", flush=True)
