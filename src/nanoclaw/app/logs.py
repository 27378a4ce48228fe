"""Where the host writes about itself: an event name, fields, and the ids of the message and turn it is about."""

import logging
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

import structlog

from nanoclaw.app.log_repeats import Repeats
from nanoclaw.domain.errors import BadWorkspace

_SIZE = 10 * 1024 * 1024
_KEPT = 5
# Other people's loggers: their request lines would carry tokens, addresses and what agents say.
_CHATTY = (
    *("uvicorn", "uvicorn.access", "uvicorn.error", "httpx", "httpcore", "httpx2", "httpcore2", "alembic"),
    *("aiohttp", "anthropic", "openai", "mcp", "claude_agent_sdk"),
)


def write_to_file(home: Path, level: str) -> None:
    """Into data/logs, so that the terminal belongs to the chat."""
    folder = home / "data" / "logs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            folder / "nanoclaw.log", maxBytes=_SIZE, backupCount=_KEPT, encoding="utf-8"
        )
    except OSError as error:
        said = error.strerror or str(error)
        raise BadWorkspace("workspace-unwritable", folder=str(folder), said=said) from error
    _configure(handler, level)


def write_to_terminal(level: str) -> None:
    """To the error stream, for a service whose log is kept by someone else."""
    _configure(logging.StreamHandler(sys.stderr), level)


def _configure(handler: logging.Handler, level: str) -> None:
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
            foreign_pre_chain=[structlog.processors.TimeStamper(fmt="iso"), structlog.stdlib.add_log_level],
        )
    )
    handler.addFilter(Repeats(handler))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
