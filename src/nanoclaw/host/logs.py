"""The host's logs: an event name, fields, and the ids of the message and turn.

No line holds what a person or an agent said, nor a secret. Our own lines carry ids, and errors without their
text (`safe_errors`); of library messages only the logger and the place in its code are kept; known secrets
are masked.
"""

import json
import logging
import sys
import threading
import traceback
import warnings
from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime, timedelta
from enum import Enum
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TextIO

import structlog

from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.host.log_repeats import Repeats
from nanoclaw.host.safe_errors import named, traced
from nanoclaw.host.secret_mask import masked, shortened

_SIZE = 10 * 1024 * 1024
_KEPT = 5
# Our loggers have a parent of their own: "telegram" and "mcp" are also names of libraries.
_OURS = "nanoclaw"


def write_to_file(home: Path, level: str) -> None:
    """Write to data/logs, so that the terminal belongs to the chat."""
    folder = home / "data" / "logs"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = _File(folder / "nanoclaw.log", maxBytes=_SIZE, backupCount=_KEPT, encoding="utf-8")
    except OSError as error:
        said = error.strerror or str(error)
        raise BadWorkspace("workspace-unwritable", folder=str(folder), said=said) from error
    _configure(handler, level)


def write_to_terminal(level: str) -> None:
    """Write to stderr, for a service whose log someone else keeps."""
    _configure(_Terminal(sys.stderr), level)


def _configure(handler: "_Counting", level: str) -> None:
    handler.setFormatter(_Formatter())
    handler.repeats = Repeats(handler, _left_out)
    handler.addFilter(handler.repeats)
    # Libraries are heard when something is wrong, whatever level is set for us.
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger(_OURS).setLevel(level.upper())
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            _add_name_and_time,
            _tell_safely,
        ],
        logger_factory=lambda *names: logging.getLogger(".".join((_OURS, *names))),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,  # `configure` also affects existing loggers
    )
    _catch_the_rest()


def _catch_the_rest() -> None:
    """Catch what Python itself would print, with all its text."""
    log = structlog.get_logger("python")

    def log_uncaught(kind: type[BaseException], error: BaseException | None, *_: object) -> None:
        if error is not None and not isinstance(error, KeyboardInterrupt):
            log.error("nobody caught it", exc_info=error, kind=kind.__name__)

    def warn(_message: object, category: type[Warning], filename: str, lineno: int, *_: object) -> None:
        log.warning("python warns", category=category.__name__, at=f"{filename}:{lineno}")

    threading.excepthook = lambda about: log_uncaught(about.exc_type, about.exc_value)
    sys.unraisablehook = lambda about: log_uncaught(about.exc_type, about.exc_value)
    warnings.showwarning = warn  # type: ignore[assignment]  # of the rest it needs nothing


class _Counting(logging.Handler):
    """Says what it left out before it is closed: at the end of the program, or when it is replaced."""

    repeats: Repeats

    def close(self) -> None:
        self.repeats.tell()
        super().close()


class _File(_Counting, RotatingFileHandler):
    pass


class _Terminal(_Counting, logging.StreamHandler[TextIO]):
    pass


class Told(dict[str, Any]):
    """The content of one of our lines, safe to write: the message of its record."""


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        if isinstance(record.msg, Told):
            return _written(record.msg)
        told: dict[str, Any] = {
            "event": "a library complains",
            "at": f"{record.pathname}:{record.lineno}",
            "logger": record.name,
            "level": record.levelname.lower(),
            "timestamp": _time(record.created),
        }
        if record.exc_info and record.exc_info[1]:
            told["exception"] = traced(record.exc_info[1])
        return _written(told)


def _left_out(logger: str, event: str, count: int) -> Told:
    told = {"event": "lines like this were left out", "count": count, "like": event, "logger": logger}
    return Told({**told, "level": "warning", "timestamp": _time()})


def _add_name_and_time(logger: Any, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    event["logger"] = str(logger.name).removeprefix(f"{_OURS}.")
    event["timestamp"] = _time()
    return event


def _tell_safely(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> tuple[tuple[Told], dict[str, Any]]:
    """The last processor: its result is what is written."""
    caught = event.pop("exc_info", None)
    error = sys.exc_info()[1] if caught is True else caught[1] if isinstance(caught, tuple) else caught
    stack = event.pop("stack_info", None)
    told = Told({name: _plain(value) for name, value in event.items()})
    if isinstance(error, BaseException):
        told["exception"] = traced(error)
    if stack:
        told["stack"] = "".join(traceback.format_stack())
    return (told,), {}


def _plain(value: object) -> object:
    """Only plain values: the text of any other object may contain whatever the object holds."""
    if isinstance(value, BaseException):
        return named(value)
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, str):
        return shortened(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime | timedelta | Path):
        return shortened(str(value))
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    return type(value).__name__


def _written(told: Mapping[str, Any]) -> str:
    return masked(json.dumps(told, ensure_ascii=False))


def _time(seconds: float | None = None) -> str:
    at = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return at.isoformat().replace("+00:00", "Z")
