"""Inserts rows that two transactions may write at once: the first one does, and the second is not disturbed."""

from functools import cache
from importlib import import_module
from typing import Any

import sqlalchemy as sa

from nanoclaw.durable.store import Tx


def insert_if_new(tx: Tx, table: sa.Table) -> Any:
    """Does nothing if a row with the same key exists; returns a row if it was written."""
    return _statement(tx.dialect.name, table)


@cache
def _statement(dialect: str, table: sa.Table) -> Any:
    return insert_of(dialect, table).on_conflict_do_nothing().returning(*table.primary_key)


def insert_of(dialect: str, table: sa.Table) -> Any:
    """An insert that can say what happens on a conflict. Only the dialect in use is loaded, see `partial_index`."""
    return import_module(f"sqlalchemy.dialects.{dialect}").insert(table)
