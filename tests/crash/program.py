"""The real program in a process of its own, to be started, talked to and killed."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import httpx
from tests.loaded import Command, nanoclaw

from nanoclaw.sandbox.processes import carried_through

LOG = "PROGRAM_LOG"
"""In the environment of a program: the file for what it writes about itself. Nowhere, if it is not set."""


class Program:
    """`nanoclaw up --no-chat` on a workspace."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.home = home
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("NANOCLAW_")},
            "NANOCLAW_HOME": str(home),
            "NANOCLAW_WEB_PORT": "0",
            "NANOCLAW_LANGUAGE": "en",
            "NANOCLAW_MEMORY_RECALL_SECONDS": "60",  # however busy the machine is
            **{f"NANOCLAW_{name}": value for name, value in settings.items()},
        }
        self._process: ForkServerProcess | None = None
        self._ready = asyncio.Event()
        self._ended = asyncio.Event()

    async def start(self) -> None:
        """Returns when the host says that it is ready."""
        reading, writing = os.pipe()
        log = os.open(self.environment.get(LOG, os.devnull), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        process = self._process = nanoclaw(self.environment, "up", "--no-chat", out=writing, errors=log)
        os.close(writing)
        os.close(log)
        printed = os.fdopen(reading)
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        self._ready, self._ended = asyncio.Event(), ended

        def end() -> None:
            loop.remove_reader(process.sentinel)
            process.join()
            printed.close()  # only now: a host that nobody hears would stumble over it
            ended.set()

        def is_ready() -> bool:
            return any("is running" in line for line in iter(printed.readline, ""))

        waiting = asyncio.ensure_future(asyncio.to_thread(is_ready))
        try:
            async with asyncio.timeout(60):
                assert await asyncio.shield(waiting), "the program ended before it was ready"
        except BaseException:
            process.kill()
            try:
                await carried_through(asyncio.wait([waiting]))  # the thread reads to the end
            finally:
                process.join()
                printed.close()
            raise
        loop.add_reader(process.sentinel, end)
        self._ready.set()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid or 0

    def kill(self) -> None:
        """As a power cut does it: no handler runs."""
        assert self._process is not None
        self._process.kill()

    def stand_still(self) -> None:
        """As a machine that sleeps: the process stands still in whatever it does."""
        assert self._process is not None
        os.kill(self._process.pid or 0, signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.kill(self._process.pid or 0, signal.SIGCONT)

    async def die(self) -> None:
        """What it was at comes to its end perhaps before it says that it is ready, which a start waits for."""
        async with asyncio.timeout(60):
            await self._ready.wait()
        self.kill()
        await self.wait_until_dead()

    async def stop(self) -> int:
        assert self._process is not None
        self._process.terminate()
        self.go_on()  # one that stands still would never hear it, and hide why a test failed
        await self.wait_until_dead()
        return int(self._process.exitcode or 0)

    async def wait_until_dead(self) -> None:
        async with asyncio.timeout(60):
            await self._ended.wait()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Program"]:
        await self.start()
        try:
            yield self
        finally:
            await self.stop()

    def client(self) -> httpx.AsyncClient:
        note = json.loads((self.home / "data" / "host.json").read_text())
        token = (self.home / "data" / "web-token").read_text().strip()
        return httpx.AsyncClient(
            base_url=note["url"], headers={"Authorization": f"Bearer {token}"}, timeout=60
        )

    async def command(self, *words: str) -> tuple[int, str]:
        """Another `nanoclaw` command on the same workspace: its exit code, and what it printed."""
        return await Command(self.environment, *words).ended()

    async def fresh_command(self, *words: str) -> tuple[int, str]:
        """The same with a program that loads everything afresh, as on a person's machine."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "nanoclaw",
            *words,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(60):
            printed, _ = await process.communicate()
        return int(process.returncode or 0), printed.decode()


async def first_room(client: httpx.AsyncClient) -> str:
    return str((await client.get("/api/rooms")).json()["rooms"][0]["id"])


async def say(client: httpx.AsyncClient, room: str, text: str, client_id: str) -> str:
    answer = await client.post(f"/api/rooms/{room}/messages", json={"text": text, "client_id": client_id})
    answer.raise_for_status()
    return str(answer.json()["id"])


async def lines(client: httpx.AsyncClient, room: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get(f"/api/rooms/{room}/messages?limit=200")).json()["items"]
    return found


async def settled(client: httpx.AsyncClient, room: str, answers: int) -> list[dict[str, Any]]:
    """Until the room has that many answers and no message waits or runs."""
    async with asyncio.timeout(60):
        while True:
            found = await lines(client, room)
            agents = [line for line in found if line["author"] == "agent"]
            if len(agents) >= answers and all(line["state"] not in ("waiting", "running") for line in found):
                return found
            await asyncio.sleep(0.05)
