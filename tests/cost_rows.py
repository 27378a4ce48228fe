"""Rows of the ledger for tests of costs: one call each, with what a test wants to be different."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import new_id
from nanoclaw.durable import tables
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store


def cost_row(*, at: datetime | None = None, **values: Any) -> dict[str, Any]:
    usual = {
        "id": new_id("u"),
        "at": at or now(),
        "company": "demo",
        "agent_group": "main",
        "session_id": "s_1",
        "turn_id": "t_1",
        "runtime": "native",
        "skill": "",
        "flow": "A",
        "model": "claude-sonnet-4-6",
        "host": "h_1",
        "state": "settled",
        "micros": 10_000,
        "input_tokens": 100,
        "output_tokens": 20,
        "cache_read_tokens": 50,
        "cache_write_tokens": 5,
        "thinking_tokens": 0,
        "batch": False,
        "duration_ms": 5,
        **dict.fromkeys(("chain_id", "step", "person", "chat_id", "task_id", "batch_id")),
        **dict.fromkeys(("saved_by_cache", "saved_by_batch")),
    }
    return usual | values


async def put_costs(store: Store, *rows: dict[str, Any]) -> None:
    await store.write(lambda tx: tx.execute(sa.insert(tables.costs), list(rows)))
