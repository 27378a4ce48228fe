"""An error as it may be logged: its type and where it happened, without any of its message.

An error's message often quotes someone: a database repeats the row, a parser the text, Telegram the message that it
could not read, an HTTP library the address with the token in it.
"""

import errno
import os
import traceback
from collections.abc import Iterator
from datetime import timedelta
from enum import Enum
from types import TracebackType

from nanoclaw.domain.errors import BoxRefused, NanoClawError, StoreDamaged, StoreUnavailable
from nanoclaw.host.secret_mask import shortened

_DEEPEST = 50  # frames from where it was caught, and as many from where it happened
_LONGEST_CHAIN = 8
# Values in our errors that the host or its owner chose, never a person who writes or an agent.
_PLAIN = (
    *("seconds", "attempts", "steps", "status", "code", "limit", "spent", "most", "pid", "port", "hours"),
    *("channel", "driver", "engine", "extra", "processor", "runtime", "server", "session", "tool"),
    *("vendor", "found"),
)
_OWN_WORDS = (StoreUnavailable, StoreDamaged, BoxRefused)  # quote the database or the machine, no person


def named(error: BaseException) -> str:
    """The error in one line."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ in ("builtins", NanoClawError.__module__) else _full(kind)
    return " ".join(filter(None, (name, *_details(error))))


def traced(error: BaseException) -> str:
    """The error with the lines of code that led to it, and those of its causes, first cause first."""
    told = []
    for one, link in _chain(error):
        told.append(f"{link}{_frames(one.__traceback__)}{named(one)}")
        if isinstance(one, BaseExceptionGroup):
            told += [f"in this group:\n{traced(inner)}" for inner in one.exceptions[:_LONGEST_CHAIN]]
    return "\n".join(told)


def _full(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _details(error: BaseException) -> Iterator[str]:
    if isinstance(error, NanoClawError):
        yield error.key
        for name, value in error.values.items():
            if isinstance(value, bool | int | float | timedelta) or name in _PLAIN:
                yield shortened(f"{name}={value}")
            elif name in ("said", "file", "folder") and isinstance(error, _OWN_WORDS):
                yield shortened(f"{name}={value!r}")
    elif isinstance(error, OSError):
        yield os.strerror(error.errno) if error.errno and error.errno in errno.errorcode else ""
    orig = getattr(error, "orig", error)  # what SQLAlchemy wraps
    for holder, name in (
        (orig, "sqlite_errorname"),
        (orig, "sqlstate"),
        (getattr(error, "response", None), "status_code"),
    ):
        if isinstance(found := getattr(holder, name, None), str | int):
            yield f"{name}={found}"
    if isinstance(reason := getattr(error, "reason", None), Enum):
        yield str(reason.value)


def _chain(error: BaseException) -> Iterator[tuple[BaseException, str]]:
    """From the first cause to the error itself, in Python's order."""
    found: list[tuple[BaseException, str]] = []
    one: BaseException | None = error
    while one is not None and len(found) < _LONGEST_CHAIN and all(one is not seen for seen, _ in found):
        cause, context = one.__cause__, None if one.__suppress_context__ else one.__context__
        found.append((one, "from it came:\n" if cause else "while it was handled:\n" if context else ""))
        one = cause or context
    return reversed(found)


def _frames(trace: TracebackType | None) -> str:
    frames = traceback.extract_tb(trace)
    if len(frames) > 2 * _DEEPEST:
        frames = traceback.StackSummary.from_list([*frames[:_DEEPEST], *frames[-_DEEPEST:]])
    return "".join(frames.format())
