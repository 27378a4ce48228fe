"""Proves that a sandbox holds: runs attacks inside a box, against real targets that the host sets up for
them.

The host refuses to start if one of them gets through. Each probe has its text `probe-<name>`.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import secrets
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nanoclaw.domain.bounds import taken
from nanoclaw.domain.boxes import BoxPlan, Sandbox
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.sandbox import inside

PROBES = (
    "files",
    "writes",
    "core-pattern",
    "network",
    "interfaces",
    "loopback",
    "abstract-sockets",
    "odd-sockets",
    "processes",
    "environment",
    "privileges",
    "root",
    "mount",
    "namespaces",
    "ptrace",
    "devices",
    "set-ids",
    "handles",
    "kernel",
    "typing",
)
_HIDDEN = {
    Path("/", name) for name in ("", "etc/shadow", "etc/ssh", "root", "home", "var/lib", "run", "boot", "tmp")
}
_PATIENCE = 20.0
_MOST = 1 << 20  # bytes of their output
# May be the same by chance.
_EVERYWHERE = {"PATH", "HOME", "LANG", "PWD", "TERM", "HOSTNAME", "SHLVL", "container"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeResult:
    """One attack that was tried; `said` is what it got hold of."""

    name: str
    held: bool
    said: str


async def examine(sandbox: Sandbox, plan: BoxPlan) -> list[ProbeResult]:
    """Run every probe in a box of this plan. Raises BoxRefused if there is no box, or a probe did not report."""
    if not any(mount.target == inside.PACKAGE_TARGET for mount in plan.mounts):
        mounts = (*plan.mounts, inside.package_mount())
        plan = BoxPlan(
            name=plan.name,
            tenant=plan.tenant,
            mounts=mounts,
            environment=plan.environment,
            limits=plan.limits,
        )
    with _targets() as (port, name):
        box = await sandbox.start(plan, inside.run_inside("probe"))
        try:
            async with asyncio.timeout(_PATIENCE):
                box.stdin.write(json.dumps(facts(plan, port=port, name=name)).encode() + b"\n")
                (printed, _), (complained, _) = await asyncio.gather(
                    taken(box.stdout, _MOST), taken(box.stderr, _MOST)
                )
                await box.wait()
        except (TimeoutError, ConnectionError) as error:
            raise BoxRefused("box-silent", said=str(error) or "-") from error
        finally:
            await box.kill()
    try:
        findings = [ProbeResult(**json.loads(line)) for line in printed.splitlines()]
    except (ValueError, TypeError):
        findings = []
    if tuple(finding.name for finding in findings) != PROBES:
        raise BoxRefused("box-silent", said=complained.decode(errors="replace").strip()[-500:] or "-")
    return findings


async def prove(sandbox: Sandbox, plan: BoxPlan) -> None:
    """Raises BoxRefused unless every probe holds."""
    leaks = [finding for finding in await examine(sandbox, plan) if not finding.held]
    if leaks:
        raise BoxRefused("box-leaks", probes="; ".join(f"{leak.name}: {leak.said}" for leak in leaks))


def facts(plan: BoxPlan, *, port: int, name: str) -> dict[str, object]:
    """What the probes look for: things of this host that must not be found inside."""
    hidden = {
        *_HIDDEN,
        Path.home(),
        *(mount.source.resolve().parent for mount in plan.mounts if mount.writable),
    }
    kept = _EVERYWHERE | set(plan.environment)
    entries = [f"{key}={value}" for key, value in os.environ.items() if key not in kept]
    return {
        "hidden": [
            (str(path), found.st_dev, found.st_ino)
            for path in hidden
            if path.exists() and (found := path.lstat())
        ],
        "read_only": [mount.target for mount in plan.mounts if not mount.writable],
        "port": port,
        "socket": name,
        "started": int(Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()[19]),
        "secrets": [hashlib.sha256(os.fsencode(entry)).hexdigest() for entry in entries],
    }


@contextlib.contextmanager
def _targets() -> Iterator[tuple[int, str]]:
    """Targets that a box must not reach: a port on our loopback, and an abstract socket name."""
    name = f"nanoclaw-{secrets.token_hex(8)}"
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as named:
        named.bind(f"\0{name}")
        named.listen()
        yield listener.getsockname()[1], name
