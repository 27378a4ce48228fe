"""Boxes made with podman or docker. Without an image nothing is downloaded: the root is a folder of links and
mount points.

The container keeps nothing, reaches nothing and may do nothing. The system call filter is our own, because
the engines' filters allow user namespaces and AF_VSOCK sockets.
"""

import asyncio
import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from nanoclaw.domain.boxes import WORK, BoxPlan, TerminalSize
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.sandbox import inside, seccomp
from nanoclaw.sandbox.orphans import Marks, host
from nanoclaw.sandbox.own_terminal import CONTROLLED, open_terminal
from nanoclaw.sandbox.pipes import Piped, Pipes, open_pipes
from nanoclaw.sandbox.processes import carried_through, end, spawn
from nanoclaw.sandbox.users import BoxUsers

_LABEL = "nanoclaw"
_SCRATCH = ("/tmp", inside.HOME)  # noqa: S108 - the box's own
_SKELETON = ("dev", "etc", "home/agent", "opt", "proc", "run", "sys", "tmp", "usr")
# What the engine's own program needs to find its service and its storage.
_CLIENT = (
    "PATH",
    "HOME",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
)
_PATIENCE = 30.0  # seconds for each engine command, and for a box to end
_AGAIN = 0.1
_TO_READ = 1.0  # seconds to read the output of a box that is ended


class ContainerSandbox:
    """`folder` holds the root and the filter; it belongs to this workspace, and no box sees it."""

    def __init__(
        self, engine: str, users: BoxUsers, *, workspace: str, folder: Path, image: str | None = None
    ) -> None:
        self.name = engine
        self.has_machines_programs = image is None
        self._users = users
        self._workspace = workspace
        self._marks = Marks(workspace)
        self._folder = folder
        self._image = image

    async def start(
        self,
        plan: BoxPlan,
        command: Sequence[str],
        *,
        terminal: bool = False,
        own_terminal: TerminalSize | None = None,
    ) -> "ContainerBox":
        for mount in plan.mounts:
            if not mount.source.exists():
                raise BoxRefused("box-mount-missing", source=str(mount.source), target=mount.target)
        root = await self._root()
        name = self._named(f"{plan.name}.{host()}")
        variables = {name: value for name, value in inside.environment(plan).items() if "\n" not in value}
        with contextlib.ExitStack() as if_it_fails, contextlib.ExitStack() as once_started:
            stdin, stdout, stderr, pipes = None, None, None, None
            if not terminal:
                (stdin, stdout, stderr), pipes = await (
                    open_terminal(os.geteuid(), own_terminal) if own_terminal else open_pipes(os.geteuid())
                )
                if_it_fails.callback(pipes.close)
                for end in (stdin, stdout, stderr):
                    once_started.callback(os.close, end)
            # In a file: everyone on the machine can read a command line.
            told = os.memfd_create("environment")
            once_started.callback(os.close, told)
            os.write(told, "".join(f"{key}={value}\n" for key, value in variables.items()).encode())
            os.lseek(told, 0, os.SEEK_SET)
            options = [*self._options(plan, name), "--env-file", f"/proc/self/fd/{told}"]
            for key, value in plan.environment.items():
                if "\n" in value:
                    options += ["--env", f"{key}={value}"]
            self._marks.hold(plan.name)
            if_it_fails.callback(self._marks.let_go, plan.name)
            try:
                process = await spawn(
                    *(
                        *(
                            CONTROLLED if own_terminal else ()
                        ),  # so that it is told about a new size, and passes it on
                        self.name,
                        "run",
                        *options,
                        "--interactive",
                        *(["--tty"] if terminal or own_terminal else []),
                        *(
                            ["--detach-keys="] if own_terminal else []
                        ),  # no keys that detach and leave the box running
                        *root,
                        *command,
                    ),
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    pass_fds=[told],
                    env=_client_environment(),
                    cwd=self._folder,  # podman leaves a file `oom` where it was started
                    ending=lambda process: _end_all(self.name, name, process),
                )
            except OSError as error:
                raise BoxRefused("box-unmade", said=error.strerror or str(error)) from error
            if_it_fails.pop_all()
        return ContainerBox(self.name, name, process, pipes, ended=lambda: self._marks.let_go(plan.name))

    async def sweep(self) -> int:
        ours = ("--filter", f"label={_LABEL}={self._workspace}", "--format", "{{.Names}}")
        listed, _ = await _engine(self.name, "ps", "-a", *ours)
        left = []
        for name in listed.split():
            box, _, of_host = name.removeprefix(self._named("")).rpartition(".")
            if not self._marks.holds(box, of_host):
                left.append(name)
        if left:
            await _engine(self.name, "kill", *left)
            await _engine(self.name, "rm", "--force", *left)
        return len(left)

    def _named(self, name: str) -> str:
        return f"{_LABEL}-{self._workspace}-{name}"

    def _options(self, plan: BoxPlan, name: str) -> list[str]:
        limits = plan.limits
        options = {
            "--name": name,
            "--label": f"{_LABEL}={self._workspace}",
            "--network": "none",
            "--cap-drop": "all",
            "--hostname": "agent",
            "--pids-limit": str(limits.processes),
            "--memory": str(limits.memory),
            "--memory-swap": str(limits.memory),
            "--cpus": str(limits.cpus),
            "--log-driver": "none",
            "--pull": "never",
            "--workdir": WORK if any(mount.target == WORK for mount in plan.mounts) else "/",
        }
        line = ["--rm", "--init", "--read-only", *(part for option in options.items() for part in option)]
        uid = self._users.admit(plan)
        line += ["--user", f"{uid}:{uid}"]
        if self.name == "podman":
            line += ["--read-only-tmpfs=false", "--no-hosts"]
            if not self._users.separate:
                line += ["--userns", "keep-id"]
        for held in (
            f"nofile={limits.open_files}:{limits.open_files}",
            f"fsize={limits.file_bytes}:{limits.file_bytes}",
            # Counted over all of that user's processes; what limits this box is --pids-limit.
            f"nproc={16 * limits.processes}:{16 * limits.processes}",
            "core=0:0",
        ):
            line += ["--ulimit", held]
        line += ["--security-opt", "no-new-privileges", "--security-opt", f"seccomp={self._filter()}"]
        mounted = {mount.target for mount in plan.mounts}
        for target in (each for each in _SCRATCH if each not in mounted):
            line += ["--tmpfs", f"{target}:rw,nosuid,nodev,size={limits.scratch_bytes},mode=1777"]
        # The number is the tenant's, which no image knows, and the engines give it no useful name.
        for file, text in inside.names(uid).items():
            source = self._folder / f"{Path(file).name}-{uid}"
            _write(source, text)
            line += ["--volume", f"{source}:{file}:ro"]
        system = inside.system_mounts() if self._image is None else inside.python_mounts()
        for mount in (*system, *sorted(plan.mounts, key=lambda mount: mount.target)):
            line += [
                "--volume",
                f"{mount.source.resolve()}:{mount.target}:{'rw' if mount.writable else 'ro'}",
            ]
        return line

    def _filter(self) -> Path:
        path = self._folder / "seccomp.json"
        _write(path, seccomp.profile())
        return path

    async def _root(self) -> list[str]:
        """The root of the box: an image, or our own folder, which docker accepts only as an image."""
        if self._image is not None:
            return [self._image]
        root = self._folder / "root"
        for name in _SKELETON:
            (root / name).mkdir(parents=True, exist_ok=True)
        for target in _SCRATCH:
            (root / target.strip("/")).chmod(0o1777)  # a tmpfs takes over the mode of what it covers
        for link, target in inside.system_links().items():
            if not (root / link.strip("/")).is_symlink():
                (root / link.strip("/")).symlink_to(target)
        for file, text in (inside.FILES | inside.names(inside.USER)).items():
            _write(root / file.strip("/"), text)
        if self.name == "podman":
            return ["--rootfs", str(root)]
        archive = await asyncio.to_thread(shutil.make_archive, str(self._folder / "root"), "tar", root)
        content = repr((inside.FILES, inside.system_links(), _SKELETON)).encode()
        image = f"nanoclaw-box:{hashlib.sha256(content).hexdigest()[:12]}"
        known, _ = await _engine(self.name, "images", "-q", image)
        if not known:
            _, failed = await _engine(self.name, "import", archive, image)
            if failed:
                raise BoxRefused("box-unmade", said=failed)
        return [image]


class ContainerBox(Piped):
    """The engine's program stands for the box; ending only that would leave the box running."""

    def __init__(
        self,
        engine: str,
        name: str,
        process: asyncio.subprocess.Process,
        pipes: Pipes | None,
        *,
        ended: Callable[[], None],
    ) -> None:
        super().__init__(pipes)
        self._engine, self._name, self._process, self._let_go = engine, name, process, ended

    async def wait(self) -> int:
        code = await self._process.wait()
        self._let_go()
        if self._pipes is not None:
            self._pipes.stdin.close()
        return code

    async def kill(self) -> None:
        try:
            if self._process.returncode is None:
                # Output that nobody reads holds up the engine's program, and with it the end of the container.
                closing = asyncio.get_running_loop().call_later(_TO_READ, self._close_pipes)
                try:
                    await carried_through(_end_all(self._engine, self._name, self._process))
                finally:
                    closing.cancel()
                    await self.wait()
            if self._pipes is not None:
                await asyncio.wait([self._pipes.taken], timeout=_TO_READ)
        finally:
            self._close_pipes()

    def _close_pipes(self) -> None:
        if self._pipes is not None:
            self._pipes.close()


async def _end_all(engine: str, name: str, process: asyncio.subprocess.Process) -> None:
    """End the container, then its program. One that is still starting is allowed to start: if the program
    that creates it were killed, the parts already made would stay, with no name to end them by.
    """
    try:
        async with asyncio.timeout(_PATIENCE):
            while process.returncode is None:
                _, failed = await _engine(engine, "kill", name)
                if not failed:
                    break
                with contextlib.suppress(
                    TimeoutError
                ):  # not created yet; or it has ended, and soon the program
                    await asyncio.wait_for(process.wait(), _AGAIN)
            await process.wait()
            await _engine(engine, "rm", "--force", name)
    except TimeoutError:
        pass  # the engine hangs; the sweep takes what is left of the container
    finally:
        await end(process)


def _client_environment() -> dict[str, str]:
    return {name: value for name in _CLIENT if (value := os.environ.get(name))}


async def _engine(*command: str) -> tuple[str, str]:
    """The engine's output, and its complaint if it failed. An engine that hangs is killed and counts as
    failed. Output goes to files: something it started may keep a pipe open, and its end would go
    unnoticed.
    """
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complained:
        try:
            process = await spawn(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=printed,
                stderr=complained,
                env=_client_environment(),
            )
        except OSError as error:
            raise BoxRefused("box-unmade", said=error.strerror or str(error)) from error
        try:
            async with asyncio.timeout(_PATIENCE):
                code = await process.wait()
        except TimeoutError:
            return "", f"{' '.join(command[:2])}: no answer for {_PATIENCE:.0f} seconds"
        finally:
            if process.returncode is None:
                await carried_through(end(process))
        failed = _content(complained) or "-" if code else ""
        return _content(printed), failed


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace").strip()


def _write(path: Path, text: str) -> None:
    """Atomic: another box may start meanwhile."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.new")
        unfinished.write_text(text, "utf-8")
        unfinished.replace(path)
