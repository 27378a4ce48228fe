"""Runs one command of the agent, reports its output while it runs, and keeps the beginning and the end of it.

Memory stays small however much is printed. What the command leaves running in the background ends with the box.
"""

import codecs
import contextlib
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable

KEPT = 30_000  # characters of output that the agent gets to see
_SHOWN = 256 << 10  # bytes that are reported while it runs
_EVERY = 0.05  # seconds between two reports
_PIECE = 1 << 16
_LONG = 60.0
_GRACE = 0.2  # for what is still in the pipe when the command has ended: something else may print on for ever


class Printed:
    """The head and the tail of a text that may be endless."""

    def __init__(self) -> None:
        self._head, self._tail, self._length = "", "", 0

    def add(self, text: str) -> None:
        self._length += len(text)
        room = KEPT // 2 - len(self._head)
        self._head += text[:room]
        self._tail += text[room:]
        if len(self._tail) > 2 * KEPT:
            self._tail = self._tail[-KEPT // 2 :]

    def __str__(self) -> str:
        if self._length <= KEPT:
            return self._head + self._tail
        left_out = self._length - 2 * (KEPT // 2)
        return f"{self._head}\n[... {left_out:,} characters left out ...]\n{self._tail[-KEPT // 2 :]}"


class _Teller:
    """Reports pieces in batches, bounded in rate and in total size."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._waiting, self._left, self._last = tell, "", _SHOWN, 0.0

    def add(self, text: str) -> None:
        if self._left > 0:
            self._waiting += text[: self._left]
            self._left -= len(text.encode())

    def due(self, now: float) -> float | None:
        """Seconds until the next report; None if there is nothing."""
        return max(self._last + _EVERY - now, 0.0) if self._waiting else None

    def flush(self, now: float) -> None:
        if self._waiting:
            self._tell(self._waiting)
            self._waiting, self._last = "", now


def run(command: str, timeout: float, tell: Callable[[str], None]) -> tuple[bool, str]:
    """Returns whether it succeeded, and what it printed."""
    shell = shutil.which("bash") or "/bin/sh"
    process = subprocess.Popen(  # noqa: S603 - running what the agent asks for is what the box is for
        [shell, "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None  # noqa: S101
    pipe, ended = process.stdout.fileno(), os.pidfd_open(process.pid)
    printed = Printed()
    in_time = _follow(pipe, ended, timeout, printed, _Teller(tell))
    with contextlib.suppress(ProcessLookupError, PermissionError):  # all of it has ended
        os.killpg(process.pid, signal.SIGKILL)
    process.stdout.close()
    os.close(ended)
    code = process.wait()
    text = str(printed)
    if not in_time:
        return False, _ending(
            text, f"timed out after {timeout:g} seconds; it was killed with everything it started"
        )
    if code:
        return False, _ending(text, f"exit code {code}" if code > 0 else f"killed by signal {-code}")
    return True, text


def _follow(pipe: int, ended: int, timeout: float, printed: Printed, teller: _Teller) -> bool:
    """Read until the command ends, or its time is up: then False. A background process may keep the pipe open."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    poll.register(ended, select.POLLIN)
    deadline, over, more = time.monotonic() + timeout, False, True
    while (more or not over) and (now := time.monotonic()) < deadline:
        due = teller.due(now)
        if due == 0.0:
            teller.flush(now)
            due = None
        pause = 0.0 if over else min(deadline - now, _LONG if due is None else due)
        ready = {file for file, _ in poll.poll(1000 * pause)}
        if pipe in ready:
            piece = os.read(pipe, _PIECE)
            text = decode(piece, final=not piece)
            printed.add(text)
            teller.add(text)
            if not piece:
                more = False
                poll.unregister(pipe)
        elif over:
            break
        if ended in ready:
            over, deadline = True, min(deadline, time.monotonic() + _GRACE)
            poll.unregister(ended)
    teller.flush(time.monotonic())
    return over


def _ending(text: str, remark: str) -> str:
    return f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}[{remark}]"
