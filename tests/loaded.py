"""Processes of the real program which begin with everything loaded: loading takes each of them a second or two."""

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from multiprocessing.reduction import DupFd
from typing import Any

from nanoclaw.__main__ import main
from nanoclaw.host.quick_import import load

# They come from a process that has loaded what they need and done nothing else.
LOADED = multiprocessing.get_context("forkserver")
LOADED.set_forkserver_preload(
    [
        "nanoclaw.cli.main",
        "nanoclaw.cli.up",
        "nanoclaw.cli.chat_command",
        "nanoclaw.cli.chat",
        "nanoclaw.console.pages",
        "nanoclaw.channels.telegram.channel",
        "nanoclaw.runtimes.demo_model",
        "uvicorn.protocols.http.httptools_impl",
        "alembic.command",
        "psycopg",
    ]
)


def nanoclaw(
    environment: dict[str, str], *words: str, out: int, errors: int | None = None, typed: int | None = None
) -> ForkServerProcess:
    """The same as `python -m nanoclaw WORDS`. Files are named by their descriptors, which stay open here.

    Without `errors` they go where the rest goes; without `typed` nobody types.
    """
    nothing = os.open(os.devnull, os.O_RDONLY)
    files = tuple(map(_File, (nothing if typed is None else typed, out, out if errors is None else errors)))
    process = LOADED.Process(target=_nanoclaw, args=(environment, words, files), daemon=True)
    process.start()
    os.close(nothing)
    return process


class _File:
    """A descriptor on its way into a new process, where it is a number again."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return _detached, (DupFd(self._number),)


def _detached(file: Any) -> int:
    return int(file.detach())


def _nanoclaw(environment: dict[str, str], words: tuple[str, ...], files: tuple[int, int, int]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = (open(number, "r" if number == 0 else "w") for number in range(3))  # noqa: PTH123, SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run where it is not heard
    load("nanoclaw.cli.main").LANGUAGE = environment.get("NANOCLAW_LANGUAGE", "en")
    sys.argv = ["nanoclaw", *words]
    main()


class Command:
    """A `nanoclaw` command under way."""

    def __init__(self, environment: dict[str, str], *words: str) -> None:
        reading, writing = os.pipe()
        self._process = nanoclaw(environment, *words, out=writing)
        os.close(writing)
        self._printed = os.fdopen(reading)

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def interrupt(self) -> None:
        os.kill(self.pid, signal.SIGINT)

    async def ended(self) -> tuple[int, str]:
        """Its exit code, and what it printed."""

        def wait() -> tuple[int, str]:
            with self._printed:
                printed = self._printed.read()
            self._process.join()
            return int(self._process.exitcode or 0), printed

        try:
            async with asyncio.timeout(60):
                return await asyncio.to_thread(wait)
        except BaseException:
            self.kill()  # else the thread that waits for it would not end
            raise

    def kill(self) -> None:
        self._process.kill()


def killed_at(moment: int, events: tuple[str, ...], act: Callable[..., object], *given: object) -> bool:
    """Whether it was: in a process of its own, at that one of the events that Python tells its auditors."""
    process = LOADED.Process(target=_until, args=(moment, events, act, given), daemon=True)
    process.start()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode == -signal.SIGKILL


def _until(
    moment: int, events: tuple[str, ...], act: Callable[..., object], given: tuple[object, ...]
) -> None:
    told = 0

    def die(event: str, _args: object) -> None:
        nonlocal told
        if event in events:
            told += 1
            if told == moment:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(die)
    act(*given)
