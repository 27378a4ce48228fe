"""A box, where an agent's commands run: what is visible in it, its limits, and how it is started and ended."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

WORK = "/work"  # the group's files, and where commands start
PROXY_SOCKET = "/run/proxy.sock"  # egress, when the group has it
GATEWAY_SOCKET = "/run/gateway.sock"  # the way to the model


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """A folder, file or socket of the host that is visible in the box."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class BoxLimits:
    """What a box may use."""

    memory: int = 2 << 30  # bytes, for the whole box where the system can count that, else per process
    processes: int = 256
    cpus: float = 1.5
    open_files: int = 1024
    file_bytes: int = 1 << 30  # the biggest file
    scratch_bytes: int = 256 << 20  # /tmp and the home folder, each


@dataclass(frozen=True, kw_only=True, slots=True)
class BoxPlan:
    """Everything a box is made of."""

    name: str  # unique among running boxes: letters, digits, `_` and `-`
    tenant: str  # the company; on a root host each has its own user id
    shares_limits_of: str = ""  # the name of the box beside which it runs, if the two are limited as one
    mounts: tuple[Mount, ...] = ()
    seen_from: int | None = None  # a process in whose mount namespace the mounts are, if not in ours
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: BoxLimits = BoxLimits()


@dataclass(frozen=True, kw_only=True, slots=True)
class TerminalSize:
    """How much fits on a screen."""

    rows: int = 24
    columns: int = 80


class Box(Protocol):
    """A running box. Its main process reads and writes through these, unless it was given our terminal. With
    its own terminal, what is typed goes to stdin, and everything it shows comes from stdout.
    """

    @property
    def stdin(self) -> asyncio.StreamWriter: ...

    @property
    def stdout(self) -> asyncio.StreamReader: ...

    @property
    def stderr(self) -> asyncio.StreamReader: ...

    def resize(self, size: TerminalSize) -> None:
        """Set the size of its terminal; its foreground program is told. No effect without its own terminal."""

    def is_idle(self) -> bool:
        """Whether only its main program runs, and nothing that this one started in a session of its own. False
        if that cannot be known.
        """

    async def wait(self) -> int:
        """Wait until its main process has ended; returns its exit code."""

    async def kill(self) -> None:
        """End it now with everything in it. No effect if it has already ended."""


class Sandbox(Protocol):
    """A way to run a command so that it sees and reaches only what its plan says."""

    @property
    def name(self) -> str: ...

    @property
    def has_machines_programs(self) -> bool:
        """Whether the programs in its boxes are those of this machine, and not of an image."""

    async def start(
        self,
        plan: BoxPlan,
        command: Sequence[str],
        *,
        terminal: bool = False,
        own_terminal: TerminalSize | None = None,
    ) -> Box:
        """Start a command in a new box. `terminal`: it talks to the person at our terminal instead.
        `own_terminal`: it gets a new terminal of this size, whose other end the caller has. Raises
        BoxRefused if there can be no box; the sentence says how to fix it.
        """

    async def sweep(self) -> int:
        """End the remains of boxes that nobody holds any more, sparing running ones; returns how many."""
