"""No box at all: a plain process, for people who choose it. It can read, write and reach whatever the host
can.

Only the environment is clean, and the command starts in the group's files. The paths of a box do not exist,
so wherever the plan, the command or the environment names one, it is replaced by the host's path. The caller
warns the person, at every start, with `sandbox-process-warning`.
"""

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Sequence

from nanoclaw.domain.boxes import WORK, BoxPlan, TerminalSize
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.sandbox import inside
from nanoclaw.sandbox.live_box import LiveBox, handle_on
from nanoclaw.sandbox.orphans import Marks
from nanoclaw.sandbox.own_terminal import CONTROLLED, open_terminal
from nanoclaw.sandbox.pipes import open_pipes
from nanoclaw.sandbox.processes import carried_through, end, spawn


class ProcessSandbox:
    """Contains nothing. Its processes end with the host, and it leaves none of its process group behind."""

    name = "process"
    has_machines_programs = True

    def __init__(self, *, workspace: str) -> None:
        self._marks = Marks(workspace)

    async def start(
        self,
        plan: BoxPlan,
        command: Sequence[str],
        *,
        terminal: bool = False,
        own_terminal: TerminalSize | None = None,
    ) -> LiveBox:
        sources = {mount.target: str(mount.source) for mount in plan.mounts}
        place = sources.get(WORK)
        told = inside.environment(plan) | {"HOME": sources.get("/session", place or "/")}
        for name in ("USER", "LOGNAME"):  # it runs as the host's own user
            del told[name]
        if "/ipc" in sources:
            told["NANOCLAW_IPC"] = "/ipc"
        environment = {name: _here(value, sources) for name, value in told.items()}
        limits = plan.limits
        numbers = {"nofile": limits.open_files, "fsize": limits.file_bytes, "core": 0, "data": limits.memory}
        with contextlib.ExitStack() as if_it_fails, contextlib.ExitStack() as once_started:
            stdin, stdout, stderr, pipes = None, None, None, None
            if not terminal:
                (stdin, stdout, stderr), pipes = await (
                    open_terminal(os.geteuid(), own_terminal) if own_terminal else open_pipes(os.geteuid())
                )
                if_it_fails.callback(pipes.close)
                for theirs in (stdin, stdout, stderr):
                    once_started.callback(os.close, theirs)
            mark = self._marks.hold(plan.name)
            if_it_fails.callback(self._marks.let_go, plan.name)
            try:
                process = await spawn(
                    *(
                        CONTROLLED if own_terminal else ()
                    ),  # first: it leads the new session, and so its process group
                    *("/usr/bin/setpriv", "--pdeathsig", "KILL", "/usr/bin/prlimit"),
                    *(f"--{name}={value}:{value}" for name, value in numbers.items()),
                    "--",
                    *(_here(word, sources) for word in command),
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    cwd=place,
                    env=environment | mark,
                    process_group=None if terminal or own_terminal else 0,
                )
                group = None if terminal else process.pid
                try:
                    whole = handle_on(process.pid)
                except OSError:  # no descriptor is left for it
                    _end(group)
                    await carried_through(end(process))
                    raise
            except OSError as error:
                raise BoxRefused("box-unmade", said=error.strerror or str(error)) from error
            if_it_fails.pop_all()

        def ended() -> None:
            _end(group)
            self._marks.let_go(plan.name)

        return LiveBox(process, pipes, whole=whole, ended=ended)

    async def sweep(self) -> int:
        return await asyncio.to_thread(self._marks.sweep)


def _end(group: int | None) -> None:
    """End what the command left running; it would otherwise outlive its turn."""
    if group is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _here(text: str, sources: dict[str, str]) -> str:
    """Replaces a path of the box, alone or after `=` or `:`, by the host's path."""
    for target in sorted(sources, key=len, reverse=True):
        pattern = rf"(^|[=:]){re.escape(target)}(?=$|[/:])"
        if re.search(pattern, text):
            return re.sub(pattern, lambda found: found[1] + sources[target], text)  # noqa: B023 - used at once
    return text
