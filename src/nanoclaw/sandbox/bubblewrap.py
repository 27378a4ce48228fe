"""Boxes made with bubblewrap, the default: own namespaces, own root, no network, no privileges.

The order of the options matters: a later mount hides what is below it. On a root host bubblewrap runs as the
tenant's own user; folders that this user cannot reach (below /root) are first staged where it can, in a mount
namespace of this box alone.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from nanoclaw.domain.boxes import WORK, BoxPlan, Mount, TerminalSize
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.sandbox import inside, limits, seccomp
from nanoclaw.sandbox.live_box import LiveBox, end_whole, handle_on, readable
from nanoclaw.sandbox.orphans import Marks, host
from nanoclaw.sandbox.own_terminal import CONTROLLED, open_terminal
from nanoclaw.sandbox.pipes import open_pipes
from nanoclaw.sandbox.processes import carried_through, end, spawn
from nanoclaw.sandbox.shared_folder import enter
from nanoclaw.sandbox.users import BoxUsers

_STAGES = tuple(Path("/", name) for name in ("mnt", "srv", "media", "boot"))  # hidden in that namespace
# Still as root, before anything of the box runs: enter the control groups, set up the stage, exec the rest.
_PREPARE = """
while [ "$1" != -- ]; do echo 0 > "$1" || exit 1; shift; done; shift
if [ "$1" != -- ]; then
    mount -n -t tmpfs -o mode=0755,size=64k stage "$1" || exit 1; shift
    while [ "$1" != -- ]; do
        if [ -d "$1" ]; then mkdir "$2"; else : > "$2"; fi && mount -n --rbind "$1" "$2" || exit 1; shift 2
    done
fi
shift; exec "$@"
"""
_CLEAN = {"PATH": "/usr/bin:/bin"}  # the first process of the box keeps it, and everything inside can read it
_UNSHARED = ["--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--cap-drop", "ALL"]
_IDENTITY = f"--uid {inside.USER} --gid {inside.USER} --hostname agent --clearenv".split()
_RUN_BYTES, _SHARED_BYTES = 1 << 20, 64 << 20
_PATIENCE = 30.0


class BubblewrapSandbox:
    """Starts each box with bubblewrap; needs no service and no image."""

    name = "bubblewrap"
    has_machines_programs = True

    def __init__(self, users: BoxUsers, *, workspace: str) -> None:
        self._users = users
        self._workspace = workspace
        self._marks = Marks(workspace)

    async def start(
        self,
        plan: BoxPlan,
        command: Sequence[str],
        *,
        terminal: bool = False,
        own_terminal: TerminalSize | None = None,
    ) -> LiveBox:
        for mount in plan.mounts:
            if not mount.source.exists():
                raise BoxRefused("box-mount-missing", source=str(mount.source), target=mount.target)
        uid = self._users.admit(plan)
        with contextlib.ExitStack() as if_it_fails, contextlib.ExitStack() as once_started:
            mark = self._marks.hold(plan.name)
            if_it_fails.callback(self._marks.let_go, plan.name)
            control_group = limits.make_pen(
                f"{self._workspace}-{plan.shares_limits_of or plan.name}.{host()}", plan.limits
            )
            if_it_fails.callback(control_group.remove)
            stdin, stdout, stderr, pipes = None, None, None, None
            if not terminal:
                (stdin, stdout, stderr), pipes = await (
                    open_terminal(uid, own_terminal) if own_terminal else open_pipes(uid)
                )
                if_it_fails.callback(pipes.close)
                for theirs in (stdin, stdout, stderr):
                    once_started.callback(os.close, theirs)
            told, tell = os.pipe()
            if_it_fails.callback(os.close, told)
            once_started.callback(os.close, tell)
            info = _Info(told)

            async def end_all(process: asyncio.subprocess.Process) -> None:
                once_started.close()
                await _end_all(process, info)

            launch = _Launch(plan, uid if self._users.separate else None, control_group)
            once_started.callback(launch.close)
            if own_terminal:
                command = [*CONTROLLED, *command]  # in the new session that the box has
            line = launch.line(command, tell, terminal=terminal)
            try:
                process = await spawn(
                    *line,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    pass_fds=[*launch.files, tell],
                    env=_CLEAN | mark,
                    ending=end_all,
                )
                once_started.close()
                try:
                    first = await info.first_process()
                    said = await pipes.stderr.read() if first is None and pipes else b""
                    whole = (
                        None if first is None else handle_on(first)
                    )  # there may be no descriptor left for it
                except BaseException:
                    with contextlib.suppress(OSError):
                        await carried_through(end_all(process))
                    raise
            except OSError as error:
                raise BoxRefused("box-unmade", said=error.strerror or str(error)) from error
            if first is None:
                await end(process)
                raise BoxRefused("box-unmade", said=said.decode(errors="replace").strip())
            os.close(told)
            if_it_fails.pop_all()

        def ended() -> None:
            control_group.remove()
            self._marks.let_go(plan.name)

        return LiveBox(process, pipes, whole=whole, ended=ended, first=first)

    async def sweep(self) -> int:
        ended = await asyncio.to_thread(self._marks.sweep)
        limits.sweep(f"{self._workspace}-", self._is_held)
        return ended

    def _is_held(self, group: str) -> bool:
        name, _, of_host = group.rpartition(".")
        return self._marks.holds(name, of_host)


class _Launch:
    """Builds one command line, and the files that it passes on."""

    def __init__(self, plan: BoxPlan, uid: int | None, control_group: limits.ControlGroup) -> None:
        self._plan = plan
        self._uid = uid  # None: the host's own
        self._control_group = control_group
        self._staged: dict[Path, Path] = {}  # a folder or file -> where it is shown
        self.files: list[int] = []

    def close(self) -> None:
        for file in self.files:
            os.close(file)

    def line(self, command: Sequence[str], tell: int, *, terminal: bool) -> list[str]:
        options = [*_UNSHARED, *_IDENTITY, "--info-fd", str(tell), *self._base(), *self._contents()]
        if not terminal:
            options += ["--new-session"]  # with the person's terminal, the filter stops it from typing there
        line = [
            *self._bubblewrap(options),
            *limits.command_limits(self._plan.limits, self._control_group),
            *command,
        ]
        if self._uid is not None:
            user = [f"--reuid={self._uid}", f"--regid={self._uid}", "--clear-groups", "--pdeathsig", "KILL"]
            line = ["/usr/bin/setpriv", *user, "--", *line]
        if self._control_group.files or self._staged:
            stage = [str(self._stage)] if self._staged else []
            for source, place in self._staged.items():
                stage += [str(source), str(place)]
            line = ["/bin/sh", "-c", _PREPARE, "box", *self._control_group.files, "--", *stage, "--", *line]
        if self._staged:
            line = ["/usr/bin/unshare", "--mount", "--", *line]
        if self._plan.seen_from is not None:
            line = [*enter(self._plan.seen_from), *line]
        return line

    def _base(self) -> list[str]:
        """The part that is the same in every box."""
        options = []
        for mount in inside.system_mounts():
            options += self._shown(mount)
        for link, target in inside.system_links().items():
            options += ["--symlink", target, link]
        for file, text in (inside.FILES | inside.names(inside.USER)).items():
            options += ["--ro-bind-data", self._file(text.encode()), file]
        options += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"]
        scratch = self._plan.limits.scratch_bytes
        options += _scratch("/tmp", scratch, "1777")  # noqa: S108 - the box's own
        options += _scratch(inside.HOME, scratch, "0700")
        return options + _scratch("/run", _RUN_BYTES, "0755")

    def _contents(self) -> list[str]:
        """What the plan says, the filter, and what becomes read-only in the end."""
        options = []
        mounts = sorted(self._plan.mounts, key=lambda mount: mount.target)
        for mount in mounts:
            options += self._shown(mount)
        for name, value in inside.environment(self._plan).items():
            options += ["--setenv", name, value]
        options += [
            "--seccomp",
            self._file(seccomp.program()),
            "--remount-ro",
            "/run",
            "--remount-ro",
            "/dev",
        ]
        options += _scratch("/dev/shm", _SHARED_BYTES, "1777")  # noqa: S108 - the box's own
        start = WORK if any(mount.target == WORK for mount in mounts) else "/"
        return [*options, "--remount-ro", "/", "--chdir", start]

    def _shown(self, mount: Mount) -> list[str]:
        source = mount.source.resolve()
        closed = None if self._uid is None else _last_closed(source, self._uid)
        if closed is not None:
            opened = closed / source.relative_to(closed).parts[0]
            place = self._staged.setdefault(opened, self._stage / str(len(self._staged)))
            source = place / source.relative_to(opened)
        return ["--bind" if mount.writable else "--ro-bind", str(source), mount.target]

    @cached_property
    def _stage(self) -> Path:
        """A folder that can be mounted over, because nothing that the box sees comes from it."""
        sources = [mount.source.resolve() for mount in (*inside.system_mounts(), *self._plan.mounts)]
        for stage in _STAGES:
            if stage.is_dir() and not any(source.is_relative_to(stage) for source in sources):
                return stage
        raise BoxRefused("box-no-stage", folders=", ".join(map(str, _STAGES)))

    def _bubblewrap(self, options: Sequence[str]) -> list[str]:
        """Passes options in a file: everyone on the machine can read a command line, and these contain tokens."""
        return ["bwrap", "--args", self._file("\0".join(options).encode(errors="surrogateescape")), "--"]

    def _file(self, content: bytes) -> str:
        file = os.memfd_create("box")
        self.files.append(file)
        os.write(file, content)
        os.lseek(file, 0, os.SEEK_SET)
        return str(file)


def _scratch(target: str, size: int, mode: str) -> list[str]:
    return ["--size", str(size), "--perms", mode, "--tmpfs", target]


def _last_closed(path: Path, uid: int) -> Path | None:
    """The deepest folder on the path that this user may not enter."""
    for folder in path.parents:
        found = folder.stat()
        needed = 0o100 if found.st_uid == uid else 0o010 if found.st_gid == uid else 0o001
        if not found.st_mode & needed:
            return folder
    return None


async def _end_all(process: asyncio.subprocess.Process, info: "_Info") -> None:
    """End a box that is still starting: let it get as far as its first process, and kill that. If the outer
    bubblewrap were killed between its clone and its signal to the inner one, the inner one would wait for
    that signal for ever: it is not yet tied to the life of the outer one.
    """
    try:
        async with asyncio.timeout(_PATIENCE):
            first = await info.first_process()
        if first is not None:
            end_whole(first)
    except TimeoutError:
        pass  # it hangs before that; if it was too early, the next sweep finds what is left
    finally:
        await end(process)  # even with no descriptor left for a handle: the sweep takes what remains


class _Info:
    """What bubblewrap reports about the box. A waiter may be cancelled after half of it was read."""

    def __init__(self, told: int) -> None:
        os.set_blocking(told, False)
        self._told, self._text = told, b""

    async def first_process(self) -> int | None:
        """The process whose end is the end of everything in the box. None if bubblewrap gave up."""
        while not self._text.rstrip().endswith(b"}"):
            await readable(self._told)
            piece = os.read(self._told, 4096)
            if not piece:
                return None
            self._text += piece
        return int(json.loads(self._text)["child-pid"])
