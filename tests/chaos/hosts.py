"""Hosts that are killed, paused and started again, as a service manager does it."""

import asyncio
import os
import random
import signal
from contextlib import suppress
from pathlib import Path

from tests.chaos.clock import VARIABLE, Clock
from tests.chaos.ledger import Ledger
from tests.crash.program import LOG, Program

_BETWEEN_TRIES = 0.5  # seconds, of a host that cannot start


class ChaosHost(Program):
    """Started again whenever it ends, until `stop_for_good`."""

    def __init__(self, name: str, home: Path, ledger: Ledger, clock: Clock | None, **settings: str) -> None:
        super().__init__(home, **settings)
        self.name = name
        self.clock = clock
        self.is_paused = False
        self.rest = 0.0  # seconds from its death to its next start
        self.up = asyncio.Event()
        self._ledger = ledger
        self._keeper: asyncio.Task[None] | None = None
        self._going_on: set[asyncio.Task[None]] = set()
        self.environment[LOG] = str(home.with_suffix(".log"))
        if clock is not None:
            self.environment[VARIABLE] = str(clock.file)

    @property
    def pid(self) -> int:
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    def begin(self) -> None:
        self._keeper = asyncio.create_task(self._keep())

    async def stop_for_good(self) -> None:
        self.go_on()
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self._process is not None and self._process.is_alive():
            self._process.terminate()
            with suppress(TimeoutError):
                async with asyncio.timeout(20):
                    await asyncio.to_thread(self._process.join, 20)
            if self._process.is_alive():
                self._process.kill()

    def strike(self, rest: float = 0.0) -> bool:
        """Kill it now. False when it is not there."""
        if not self.up.is_set():
            return False
        self.rest = rest
        self.up.clear()
        self._ledger.note("killed", self.name)
        self.is_paused = False
        self.kill()
        return True

    async def strike_and_wait(self, rest: float = 0.0) -> bool:
        ended = self._ended  # of this process: the next one has its own
        struck = self.strike(rest)
        if struck:
            await ended.wait()
        return struck

    def pause(self, seconds: float) -> bool:
        """It stands still for so long. False when it is not there or stands already."""
        if not self.up.is_set() or self.is_paused:
            return False
        self.is_paused = True
        self._ledger.note("paused", self.name)
        os.kill(self.pid, signal.SIGSTOP)
        task = asyncio.create_task(self._go_on_after(seconds))
        self._going_on.add(task)
        task.add_done_callback(self._going_on.discard)
        return True

    def go_on(self) -> None:
        if self.is_paused:
            self.is_paused = False
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGCONT)
            self._ledger.note("went on", self.name)

    async def _go_on_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self.go_on()

    async def _keep(self) -> None:
        while True:
            try:
                await self.start()
            except (AssertionError, TimeoutError):
                self._ledger.note("did not start", self.name)
                assert self._process is not None
                self._process.kill()
                await asyncio.to_thread(self._process.join)
                await asyncio.sleep(_BETWEEN_TRIES)
                continue
            self._ledger.note("started", self.name)
            self.up.set()
            await self._ended.wait()
            if self.up.is_set():
                self.up.clear()
                self._ledger.note("ended by itself", self.name)
                self.rest = _BETWEEN_TRIES
            self.is_paused = False
            await asyncio.sleep(self.rest)


def chosen(hosts: list[ChaosHost], number: int, dice: random.Random) -> ChaosHost:
    """The host that the plan names, or another that is there."""
    wanted = hosts[number % len(hosts)]
    there = [host for host in hosts if host.up.is_set() and not host.is_paused]
    return wanted if wanted in there or not there else dice.choice(there)
