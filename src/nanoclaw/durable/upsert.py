"""A row that two transactions may write at once: the first one does, and the second one is not disturbed."""

from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from nanoclaw.durable.store import Tx

_DIALECTS = {"sqlite": sqlite, "postgresql": postgresql}


def insert_if_new(tx: Tx, table: sa.Table) -> Any:
    """Does nothing when a row with the same key exists; returns a row when it was written."""
    return _statement(tx.dialect.name, table)


@cache
def _statement(dialect: str, table: sa.Table) -> Any:
    return _DIALECTS[dialect].insert(table).on_conflict_do_nothing().returning(*table.primary_key)
