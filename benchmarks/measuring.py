"""What the measurements of a whole host share: a room that takes everything, idle hosts side by side, figures."""

import asyncio
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.parcels import Parcel
from nanoclaw.domain.people import LOCAL_OWNER, Role
from nanoclaw.domain.ports import Channel, Front, SendMarks
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import history
from nanoclaw.host.host import Host
from nanoclaw.testing import started_host


class Room(Channel):
    """A channel that takes everything, and tells where to hand in what people do."""

    name = "web"
    newcomers = Role.OWNER
    repeatable = True
    front: Front

    async def start(self, front: Front) -> None:
        self.front = front

    async def send(self, parcel: Parcel, _send_mark: SendMarks) -> str:
        return parcel.id


def incoming(text: str) -> Incoming:
    return Incoming(
        kind=ChatKind.PRIVATE,
        addressed=True,
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
    await ready(process)
    return process


async def ready(process: asyncio.subprocess.Process) -> None:
    """Until the program says so."""
    assert process.stdout is not None
    while b"http://" not in (line := await process.stdout.readline()):
        assert line, "the host did not start"


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_of_tree(pid: int) -> float:
    """Seconds of a process, of its children that ended, and of those that run."""
    ticks: dict[int, int] = {}
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended meanwhile
            fields = stat.read_text().rsplit(")", 1)[1].split()
            each = int(stat.parent.name)
            parents[each], ticks[each] = int(fields[1]), sum(map(int, fields[11:15]))

    def is_of_tree(each: int) -> bool:
        return each == pid or (each in parents and is_of_tree(parents[each]))

    return sum(spent for each, spent in ticks.items() if is_of_tree(each)) / os.sysconf("SC_CLK_TCK")


def memory(pid: int, kind: str = "Rss") -> float:
    """MiB; of memory that processes share, `Pss` counts the share of this one."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) / 1024
    raise LookupError(kind)


def tail(values: list[float], share: float = 0.99) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def print_figure(name: str, value: float, note: str) -> None:
    print(f"{name:<60} {value:>9.2f}   {note}", flush=True)
