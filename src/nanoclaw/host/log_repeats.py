"""Keeps a repeating fault from filling the disk: its lines are counted instead of written.

What outsiders can cause without end (connections, bad requests, refused hosts) ends up in the log as the same line with
other numbers. The first few say it all.
"""

import logging
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_WINDOW = 60.0  # seconds
_SAME_LINE = 5  # per window, of identical lines
_SAME_EVENT = 100  # per window, of warnings and errors with one event name
_MOST_KEYS = 2000
_ADDRESS = re.compile(r"0x[0-9a-f]+")


@dataclass(slots=True)
class _Repeats:
    logger: str
    event: str
    since: float
    written: int = 0
    left_out: int = 0


@dataclass(slots=True)
class _Counts:
    windows: dict[tuple[object, ...], _Repeats] = field(default_factory=dict)

    def is_over(self, key: tuple[object, ...], event: str, most: int, at: float) -> bool:
        """Whether there were already too many. Counts this one."""
        seen = self.windows.setdefault(key, _Repeats(str(key[0]), event, at))
        if seen.written < most:
            seen.written += 1
            return False
        seen.left_out += 1
        return True

    def ended(self, at: float) -> list[_Repeats]:
        """The windows that are over; the next line starts a new one."""
        over = [key for key, seen in self.windows.items() if at - seen.since >= _WINDOW]
        if not over and len(self.windows) > _MOST_KEYS:
            over = list(self.windows)
        return [self.windows.pop(key) for key in over]


class Repeats(logging.Filter):
    """Filters one handler. What was left out is summed up in one line at the end of the minute, or when it is
    closed.
    """

    def __init__(self, handler: logging.Handler, left_out: Callable[[str, str, int], object]) -> None:
        """`left_out` makes the line that says how many of an event were not written."""
        super().__init__()
        self._handler = handler
        self._left_out = left_out
        self._lines, self._events = _Counts(), _Counts()
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        at = time.monotonic()
        event, line = _read(record)
        with self._lock:
            ended = self._lines.ended(at) + self._events.ended(at)
            is_over = self._lines.is_over((record.name, record.levelno, line), event, _SAME_LINE, at)
            if not is_over and record.levelno >= logging.WARNING:
                is_over = self._events.is_over((record.name, record.levelno, event), event, _SAME_EVENT, at)
        self._tell_of(ended)
        return not is_over

    def tell(self) -> None:
        """Report what was left out and not reported yet."""
        with self._lock:
            left = [*self._lines.windows.values(), *self._events.windows.values()]
            self._lines.windows.clear()
            self._events.windows.clear()
        self._tell_of(left)

    def _tell_of(self, windows: list[_Repeats]) -> None:
        for seen in windows:
            if not seen.left_out:
                continue
            line = self._left_out(seen.logger, seen.event, seen.left_out)
            told = logging.LogRecord(seen.logger, logging.WARNING, "", 0, line, None, None)
            with self._handler.lock or threading.RLock():
                self._handler.emit(told)


def _read(record: logging.LogRecord) -> tuple[str, str]:
    """The event name, and everything in the line except what always differs."""
    if isinstance(record.msg, dict):  # one of ours
        said = sorted((name, repr(value)) for name, value in record.msg.items() if name != "timestamp")
        return str(record.msg.get("event", "")), _ADDRESS.sub("0x", repr(said))
    place = f"{record.pathname}:{record.lineno}"  # a library's text may come from anyone
    return place, place
