"""A box: where an agent's hands are. What can be seen in it, what it may use up, and how it is started and ended."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

WORK = "/work"  # the group's files, and where commands start
PROXY_SOCKET = "/run/proxy.sock"  # the way out, when the group has one
GATEWAY_SOCKET = "/run/gateway.sock"  # the way to the model


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """A folder, file or socket of the host that can be seen in the box."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What a box may use up."""

    memory: int = 2 << 30  # bytes, of the whole box where the system can count that, else of each process
    processes: int = 256
    cpus: float = 1.5
    open_files: int = 1024
    file_bytes: int = 1 << 30  # the biggest file
    scratch_bytes: int = 256 << 20  # /tmp and the home folder, each


@dataclass(frozen=True, kw_only=True, slots=True)
class BoxPlan:
    """Everything that a box is made of."""

    name: str  # unique among the boxes that live: letters, digits, `_` and `-`
    tenant: str  # the company; on a root host each has a user id of its own
    mounts: tuple[Mount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()


class Box(Protocol):
    """A box that lives. Its main process reads and writes through these, unless it was given our terminal."""

    @property
    def stdin(self) -> asyncio.StreamWriter: ...

    @property
    def stdout(self) -> asyncio.StreamReader: ...

    @property
    def stderr(self) -> asyncio.StreamReader: ...

    async def wait(self) -> int:
        """Until its main process has ended; how it ended."""

    async def kill(self) -> None:
        """End it now with all that runs in it. Does nothing when it has ended already."""


class Sandbox(Protocol):
    """A way to run a command so that it sees and reaches only what its plan says."""

    @property
    def name(self) -> str: ...

    async def start(self, plan: BoxPlan, command: Sequence[str], *, terminal: bool = False) -> Box:
        """Start a command in a box of its own. `terminal`: it talks to the person at our terminal instead.

        Raises BoxRefused when there can be no box; the sentence says how to mend it.
        """

    async def sweep(self) -> int:
        """End what is left of boxes that nobody holds any more, and spare those that live; how many that were."""
