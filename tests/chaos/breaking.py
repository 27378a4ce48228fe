"""Carries out the faults of a plan."""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable

from tests.chaos.databases import Database
from tests.chaos.disk import SmallDisk
from tests.chaos.hosts import ChaosHost, chosen
from tests.chaos.ledger import Called, Ledger
from tests.chaos.model import ChaosModel
from tests.chaos.plan import Fault
from tests.chaos.telegram import Trap, WatchedTelegram

_STATUSES = (500, 502, 504)
_REST = 0.3  # seconds from a death to the next start, at most
_NEAREST, _FURTHEST = 10, 3 * 3600  # seconds that a clock is set by


class Breaker:
    def __init__(
        self,
        *,
        ledger: Ledger,
        hosts: list[ChaosHost],
        telegram: WatchedTelegram,
        model: ChaosModel,
        database: Database,
        disk: SmallDisk | None,
        seed: int,
    ) -> None:
        self._ledger = ledger
        self._hosts = hosts
        self._telegram = telegram
        self._model = model
        self._database = database
        self._disk = disk
        self._dice = random.Random(seed)  # noqa: S311 - not a secret
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()  # the database breaks one way at a time
        self.failed: list[str] = []  # faults that could not be done

    def begin(self, fault: Fault) -> None:
        task = asyncio.create_task(self._do(fault))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> list[str]:
        """Nothing goes wrong any more. Returns the faults that met no call."""
        await asyncio.gather(*self._tasks)
        left = self._telegram.disarm() + [kind for kind, _ in self._model.faults]
        self._model.faults.clear()
        for host in self._hosts:
            host.go_on()
        async with asyncio.timeout(120):
            for host in self._hosts:
                await host.up.wait()
        self._ledger.note("faults are over")
        return left

    async def _do(self, fault: Fault) -> None:
        kind = fault.kind
        if trap := self._trap(fault):
            self._telegram.traps.append(trap)
        elif kind.startswith("model-"):
            self._model.fail(kind, fault.amount)
        elif kind.startswith("database-"):
            async with self._lock:
                await self._for_a_while(
                    kind, fault, self._database.go_down if kind == "database-down" else self._database.freeze
                )
        elif kind == "disk" and self._disk is not None:
            async with self._lock:
                await self._for_a_while(kind, fault, self._disk.fill)
        elif kind == "repeat":
            self._count(kind, await self._telegram.repeat_when_taken())
        else:
            await self._to_a_host(fault)

    async def _to_a_host(self, fault: Fault) -> None:
        await asyncio.sleep(fault.amount * 0.5)
        host = chosen(self._hosts, fault.host, self._dice)
        if fault.kind == "kill":
            self._count(fault.kind, host.strike(fault.amount * _REST))
        elif fault.kind == "pause":
            self._count(fault.kind, host.pause(fault.seconds))
        elif host.clock is not None:
            by = _jump(fault.amount)
            if fault.kind == "clock-restart":
                await host.strike_and_wait(_REST)
            host.clock.move(by)
            self._ledger.note(f"clock set by {by} s", host.name)
            self._count(fault.kind)

    def _trap(self, fault: Fault) -> Trap | None:
        """For the next call of this kind."""
        kind, method = fault.kind, fault.method
        done = kind.endswith("-after") or fault.amount > 0.5
        if kind in ("kill-before", "kill-after"):
            return Trap(fault=kind, method=method, is_done=kind == "kill-after", meet=self._kill)
        if kind == "pause-at-call":
            return Trap(
                fault=kind, method=method, is_done=done, meet=self._pause(fault.seconds), answers=True
            )
        if kind in ("cut-before", "cut-after"):
            return Trap(fault=kind, method=method, is_done=kind == "cut-after")
        if kind in ("fail-before", "fail-after"):
            status = _STATUSES[int(fault.amount * len(_STATUSES)) % len(_STATUSES)]
            return Trap(fault=kind, method=method, is_done=kind == "fail-after", status=status)
        if kind == "flood":
            return Trap(fault=kind, method=method, is_done=False, wait=1 + int(fault.amount * 3))
        if kind == "delay":
            return Trap(
                fault=kind, method="getUpdates", is_done=False, meet=_delay(fault.seconds), answers=True
            )
        return None

    async def _kill(self, call: Called) -> None:
        for host in self._hosts:
            if host.name == call.host:
                await host.strike_and_wait(self._dice.random() * _REST)

    def _pause(self, seconds: float) -> Callable[[Called], Awaitable[None]]:
        async def pause(call: Called) -> None:
            for host in self._hosts:
                if host.name == call.host:
                    host.pause(seconds)

        return pause

    async def _for_a_while(self, kind: str, fault: Fault, breaks: Callable[[float], Awaitable[None]]) -> None:
        self._ledger.note(kind)
        await breaks(fault.seconds)
        self._ledger.note(f"{kind} is over")
        self._count(kind)

    def _count(self, kind: str, is_done: bool = True) -> None:
        if is_done:
            self._ledger.faults[kind] += 1
        else:
            self.failed.append(kind)


def _jump(amount: float) -> int:
    """Back for the lower half, forward for the upper one: from some seconds to hours."""
    size = round(_NEAREST * math.pow(_FURTHEST / _NEAREST, amount * 2 % 1))
    return -size if amount < 0.5 else size


def _delay(seconds: float) -> Callable[[Called], Awaitable[None]]:
    async def delay(_: Called) -> None:
        await asyncio.sleep(seconds)

    return delay
