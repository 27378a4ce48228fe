"""`data/cost_log.jsonl`: one line per finished model call, for people and their spreadsheets."""

import json
import os
from datetime import UTC
from pathlib import Path

import structlog

from nanoclaw.domain.money import MICROS
from nanoclaw.durable.costs import Cost, State

log = structlog.get_logger("cost_log")


def append(path: Path, *costs: Cost) -> None:
    """Append lines. The file follows the database: a full disk is only logged. Runs on the event loop, like
    the log: that takes a tenth of the time of a thread.
    """
    lines = "".join(json.dumps(_line(cost), ensure_ascii=False) + "\n" for cost in costs)
    try:
        if lines:
            _append(path, lines.encode())
    except OSError as error:
        log.exception("cost log not written", file=path.name, reason=error)


def _append(path: Path, lines: bytes) -> None:
    # One write at the end of the file, so that lines of two hosts, or of two calls, do not mix.
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, lines)
    finally:
        os.close(descriptor)


def _line(cost: Cost) -> dict[str, object]:
    spender, usage = cost.spender, cost.usage
    line: dict[str, object] = {
        "timestamp": cost.at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "company": spender.company,
        "flow": spender.flow,
        "skill": spender.skill,
        "model": cost.model,
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write,
        "thinking_tokens": usage.thinking,
        "cost_usd": cost.micros / MICROS,
        "duration_ms": cost.duration_ms,
        "batch": cost.batch,
        "session_id": spender.session_id,
        "group": spender.group,
        "turn_id": spender.turn_id,
        "runtime": spender.runtime,
        "estimated": cost.state is State.ESTIMATED,
        "person": spender.person,
        "chat_id": spender.chat_id,
        "task_id": spender.task_id,
        "batch_id": spender.batch_id,
        "saved_by_cache_usd": cost.saved_by_cache / MICROS,
        "saved_by_batch_usd": cost.saved_by_batch / MICROS,
    }
    if spender.chain_id is not None:
        line |= {"chain_id": spender.chain_id, "step": spender.step}
    return line
