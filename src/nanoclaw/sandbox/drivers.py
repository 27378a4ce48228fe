"""Chooses the sandbox that the setting names. One never replaces another: what is missing is reported, with
the remedy.
"""

import os
import shutil
import subprocess
from pathlib import Path

from nanoclaw.domain.boxes import Sandbox
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.sandbox import seccomp
from nanoclaw.sandbox.bubblewrap import BubblewrapSandbox
from nanoclaw.sandbox.containers import ContainerSandbox
from nanoclaw.sandbox.process import ProcessSandbox
from nanoclaw.sandbox.users import BoxUsers

SANDBOXES = ("bubblewrap", "podman", "docker", "process")
_NO_NAMESPACES_BY_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_TRIAL = "bwrap --unshare-user --unshare-all --disable-userns --ro-bind / / --proc /proc --dev /dev true"
_PATIENCE = 20.0


def choose(name: str, *, users: BoxUsers, workspace: str, folder: Path, image: str | None = None) -> Sandbox:
    """The sandbox of that name. `folder` is for what containers are built from; no box sees it. Raises
    BoxRefused if it does not work on this machine.
    """
    if name not in SANDBOXES:
        raise BoxRefused("sandbox-unknown", name=name, names=", ".join(SANDBOXES))
    for tool in ("setpriv", "prlimit"):
        if not Path("/usr/bin", tool).exists():
            raise BoxRefused("sandbox-tool-missing", tool=tool)
    if name == "process":
        return ProcessSandbox(workspace=workspace)
    if not seccomp.known_here():
        raise BoxRefused("sandbox-processor", processor=os.uname().machine)
    if shutil.which(name if name != "bubblewrap" else "bwrap") is None:
        raise BoxRefused(f"{name}-missing")
    if name == "bubblewrap":
        _try_bubblewrap(users)
        return BubblewrapSandbox(users, workspace=workspace)
    _try_engine(name)
    return ContainerSandbox(name, users, workspace=workspace, folder=folder, image=image)


def _try_bubblewrap(users: BoxUsers) -> None:
    """Whether it may create namespaces here as a user other than root, which is how boxes run."""
    as_user = "setpriv --reuid=65534 --regid=65534 --clear-groups -- " if users.separate else ""
    said = _tried((as_user + _TRIAL).split())
    if said is None:
        return
    held_back = _NO_NAMESPACES_BY_APPARMOR
    if held_back.exists() and held_back.read_text().strip() == "1":
        raise BoxRefused("bubblewrap-apparmor", said=said)
    raise BoxRefused("bubblewrap-powerless", said=said)


def _try_engine(name: str) -> None:
    said = _tried([name, "version"])
    if said is not None:
        raise BoxRefused("engine-silent", engine=name, said=said)


def _tried(command: list[str]) -> str | None:
    """None on success, otherwise the complaint."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            command, capture_output=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    complained = done.stderr.decode(errors="replace").strip().splitlines()
    return (complained[-1] if complained else "-") if done.returncode else None
