"""Makes a request to the host: a file goes out, and the answer comes back as a file."""

import importlib
import json
import os
import struct
import threading
import time
from pathlib import Path
from typing import Any

FOLDER = "NANOCLAW_IPC"

_SHORTEST_LOOK, _LONGEST_LOOK = 0.002, 0.25  # seconds between two looks, without inotify
_SURE_LOOK = 5.0  # with inotify, in case it missed something
_MOVED_TO, _IGNORED = 0x80, 0x8000
_EVENT = struct.Struct("iIII")


class NoAnswer(Exception):
    """The host did not answer in time. It may still do what it was asked for."""


def ipc() -> Path:
    return Path(os.environ.get(FOLDER, "/ipc"))


def new_id() -> str:
    return os.urandom(16).hex()


def ask(
    kind: str, tool: str, arguments: dict[str, Any], wait: float | None = 60, *, asked_id: str | None = None
) -> dict[str, Any]:
    """Ask, and wait for the answer; None waits as long as it takes. Raises NoAnswer."""
    asked_id = asked_id or new_id()
    answer = ipc() / ("hitl-responses" if kind == "hitl" else "results") / f"{asked_id}.json"
    # Before the request is out, so that no answer is missed.
    arrived = _arrivals_in(answer.parent).expect(answer.name)
    try:
        body = {"id": asked_id, "tool": tool, "arguments": arguments}
        half = ipc() / kind / f".{asked_id}.half"
        half.write_bytes(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))
        half.rename(half.with_name(answer.name))
        return _wait_for(answer, arrived, wait)
    finally:
        _arrivals_in(answer.parent).forget(answer.name)


def _wait_for(answer: Path, arrived: threading.Event | None, wait: float | None) -> dict[str, Any]:
    until = None if wait is None else time.monotonic() + wait
    pause = _SHORTEST_LOOK
    while True:
        try:
            found: dict[str, Any] = json.loads(answer.read_bytes())
        except FileNotFoundError:
            pass
        else:
            return found
        left = _SURE_LOOK if until is None else until - time.monotonic()
        if left <= 0:
            raise NoAnswer
        if arrived is not None:
            arrived.wait(min(left, _SURE_LOOK))
            arrived.clear()
        else:
            time.sleep(min(left, pause))
            pause = min(pause * 1.5, _LONGEST_LOOK)


class _Arrivals:
    """One inotify for a folder, kept as long as the program runs: closing one takes the kernel some 8 ms."""

    def __init__(self, folder: Path) -> None:
        self._expected: dict[str, threading.Event] = {}
        self._inotify = _inotify_of(folder)
        if self._inotify >= 0:
            threading.Thread(target=self._read, daemon=True).start()

    def expect(self, name: str) -> threading.Event | None:
        """Set when something of that name has arrived; None if nothing can report it."""
        return None if self._inotify < 0 else self._expected.setdefault(name, threading.Event())

    def forget(self, name: str) -> None:
        self._expected.pop(name, None)

    def _read(self) -> None:
        while True:
            content, at = os.read(self._inotify, 65536), 0
            while at < len(content):
                _watch, mask, _cookie, length = _EVENT.unpack_from(content, at)
                name = (
                    content[at + _EVENT.size : at + _EVENT.size + length]
                    .rstrip(b"\0")
                    .decode("ascii", "replace")
                )
                at += _EVENT.size + length
                if mask & _IGNORED:  # the folder is gone
                    os.close(self._inotify)
                    return
                if expected := self._expected.get(name):
                    expected.set()


_arrivals: dict[Path, _Arrivals] = {}
_making = threading.Lock()


def _arrivals_in(folder: Path) -> _Arrivals:
    with _making:
        if folder not in _arrivals:
            _arrivals[folder] = _Arrivals(folder)
        return _arrivals[folder]


def _inotify_of(folder: Path) -> int:
    """A descriptor that reports arrivals; -1 if there are none left."""
    ctypes = importlib.import_module("ctypes")  # late: a tool server that is asked nothing starts faster
    libc = ctypes.CDLL(None, use_errno=True)
    made = int(libc.inotify_init1(os.O_CLOEXEC))
    if made >= 0 and libc.inotify_add_watch(made, os.fsencode(folder), _MOVED_TO) < 0:
        os.close(made)
        return -1
    return made
