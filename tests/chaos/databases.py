"""The databases of a run: SQLite in the workspace, or a PostgreSQL cluster of its own, to be stopped and frozen."""

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol


class Database(Protocol):
    url: str

    def cannot(self) -> dict[str, str]:
        """The faults that it cannot have, with the reason."""

    async def go_down(self, seconds: float) -> None: ...

    async def freeze(self, seconds: float) -> None: ...


class Sqlite:
    """Down is not possible while the file is there; frozen is a lock that somebody holds."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.url = f"sqlite:///{file}"

    def cannot(self) -> dict[str, str]:
        return {
            "database-down": "SQLite has no server",
            "pause-at-call": "one host: nobody takes over from it",
            "pause": "one host: nobody takes over from it",
        }

    async def go_down(self, seconds: float) -> None:
        raise NotImplementedError

    async def freeze(self, seconds: float) -> None:
        connection = sqlite3.connect(self.file, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            await asyncio.to_thread(connection.execute, "BEGIN IMMEDIATE")
            await asyncio.sleep(seconds)
        finally:
            connection.close()


class GivenPostgres:
    """A database on a server that others use too: it is left alone."""

    def __init__(self, url: str) -> None:
        self.url = url

    def cannot(self) -> dict[str, str]:
        return dict.fromkeys(("database-down", "database-frozen"), "the server belongs to others")

    async def go_down(self, seconds: float) -> None:
        raise NotImplementedError

    async def freeze(self, seconds: float) -> None:
        raise NotImplementedError


class Postgres:
    """A cluster in a temporary folder, reached by a socket in it."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.url = f"postgresql://postgres@/postgres?host={folder}"
        self._folder = folder
        as_user: list[str] = []
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
            as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self._initdb = [*as_user, str(programs / "initdb"), "-D", str(folder / "data"), "-A", "trust"]
        self._control = [*as_user, str(programs / "pg_ctl"), "-D", str(folder / "data"), "-w"]

    def cannot(self) -> dict[str, str]:
        return {}

    async def make(self) -> None:
        await _run(*self._initdb, "-U", "postgres", "-N")
        await self.start()

    async def start(self) -> None:
        options = (
            f"-c listen_addresses= -c unix_socket_directories={self._folder} "
            "-c fsync=off -c max_connections=200"
        )
        await _run(*self._control, "-l", str(self._folder / "log"), "-o", options, "start")

    async def keep(self, file: Path) -> None:
        """Keep what is in it, for finding the cause of a fault."""
        url = f"--dbname={self.url}"
        await _run(str(Path(self._control[-4]).with_name("pg_dump")), url, "--inserts", "--file", str(file))

    async def stop(self) -> None:
        await _run(*self._control, "-m", "immediate", "stop")

    async def go_down(self, seconds: float) -> None:
        await self.stop()
        await asyncio.sleep(seconds)
        await self.start()

    async def freeze(self, seconds: float) -> None:
        """The server first, so that it makes no new processes, then those it has."""
        server = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(server, signal.SIGSTOP)
        children = _children(server)
        try:
            for pid in children:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(seconds)
        finally:
            for pid in (*children, server):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


def programs() -> Path | None:
    """Where PostgreSQL's own are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).parent if named else None


@asynccontextmanager
async def cluster() -> AsyncIterator[Postgres]:
    place = programs()
    if place is None:
        raise SystemExit("PostgreSQL is not installed (Debian's package postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="nanoclaw-pg-"))
    try:
        made = Postgres(folder, place)
        try:
            await made.make()
            yield made
        finally:
            with suppress(
                subprocess.CalledProcessError
            ):  # stopped before it was started, or while it was down
                await made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _run(*words: str) -> None:
    """To its end even if nobody waits any more: a server that is just starting could not be stopped."""
    running = asyncio.ensure_future(
        asyncio.to_thread(
            subprocess.run, words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/"
        )
    )
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise


def _children(server: int) -> list[int]:
    found = []
    for line in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(line.read_text().rpartition(")")[2].split()[1]) == server:
                found.append(int(line.parent.name))
    return found
