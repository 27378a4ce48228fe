"""The names of what model calls were made for: people, chats, tasks and runs."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

from nanoclaw.durable.pipeline_tables import handoffs, pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, people, scheduled_tasks

T = TypeVar("T", str, int)
_MOST = 500  # ids in a statement, which databases limit


def of_people(tx: Tx, handles: Sequence[str]) -> dict[str, str]:
    return dict(_found(tx, people.c.handle, people.c.name, handles))


def of_chats(tx: Tx, chat_ids: Sequence[str]) -> dict[str, str]:
    return dict(_found(tx, chats.c.id, chats.c.title, chat_ids))


def prompts_of_tasks(tx: Tx, task_ids: Sequence[int]) -> dict[int, str]:
    return dict(_found(tx, scheduled_tasks.c.id, scheduled_tasks.c.prompt, task_ids))


def subjects_of_runs(tx: Tx, chain_ids: Sequence[str]) -> dict[str, str]:
    """The subject of a pipeline's run, or what the first handoff of a chain asked for."""
    found = dict(_found(tx, pipeline_runs.c.id, pipeline_runs.c.subject, chain_ids))
    for chain_id, contract in _found(
        tx, handoffs.c.chain_id, handoffs.c.contract, chain_ids, handoffs.c.step
    ):
        found.setdefault(chain_id, contract["payload"]["content"])
    return found


def _found(
    tx: Tx, key: sa.Column[T], value: sa.Column[Any], keys: Sequence[T], order: sa.Column[Any] | None = None
) -> Iterator[tuple[T, Any]]:
    for start in range(0, len(keys), _MOST):
        wanted = sa.select(key, value).where(key.in_(keys[start : start + _MOST]))
        for row in tx.execute(wanted.order_by(key if order is None else order)):
            yield row[0], row[1]
