"""Measures a meeting with a git remote that has nothing new: CPU of the host and of every git it starts. See
benchmarks/README.md."""

import argparse
import asyncio
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import structlog
from benchmarks.measuring import print_figure

from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.flows.syncing import report
from nanoclaw.host.host import Host
from nanoclaw.host.host_lock import workspace_id
from nanoclaw.testing import made_workspace, started_host


def _cpu() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def _git(home: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=home, check=True, capture_output=True)


async def _met(host: Host, *, since: float) -> float:
    """Until the remote was met once more; the seconds it took."""
    asked_at = now()
    kind = work.versions_of(workspace_id(host.home))
    await host.store.write(lambda tx: work.due(tx, kind, "remote", now()))
    while True:
        met = await host.store.read(report.read)
        if met and met.at >= asked_at:
            return time.perf_counter() - since
        await asyncio.sleep(0.02)


async def measure(times: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        home, remote = Path(made) / "home", Path(made) / "remote.git"
        made_workspace(home)
        _git(home, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
        _git(home, "remote", "add", "origin", str(remote))
        _git(home, "push", "--quiet", "origin", "main")
        memory = {"push": True, "sync_minutes": 1440, "commit_seconds": 0}
        async with started_host(home, memory=memory) as host:
            await _met(host, since=0)
            await asyncio.sleep(2)  # what a start leaves to do
            begun, idle = time.perf_counter(), _cpu()
            while time.perf_counter() - begun < 2:
                await host.store.read(report.read)
                await asyncio.sleep(0.02)
            idle = (_cpu() - idle) / 2
            used, took = [], []
            for _ in range(times):
                before, since = _cpu(), time.perf_counter()
                seconds = await _met(host, since=since)
                used.append((_cpu() - before - idle * seconds) * 1000)
                took.append(seconds * 1000)
        bare = _cpu()
        for _ in range(times):
            _git(home, "ls-remote", "--quiet", "--heads", "origin")
        bare = (_cpu() - bare) / times * 1000
    print_figure("sync with nothing new, CPU", statistics.median(used), f"ms; at most {max(used):.1f}")
    print_figure("the same until it is noted", statistics.median(took), "ms")
    print_figure("a bare `git ls-remote`, CPU", bare, "ms")


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30)
    asyncio.run(measure(parser.parse_args().times))
