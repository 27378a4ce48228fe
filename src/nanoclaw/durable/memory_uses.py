"""Which entries of memory and context were in the prompt of which turn."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from nanoclaw.durable.knowledge_tables import memory_entries, memory_uses
from nanoclaw.durable.store import Tx
from nanoclaw.durable.upsert import insert_of

_BEGINNING = 80  # characters of an entry that remind a person of it


@dataclass(frozen=True, kw_only=True, slots=True)
class UsedEntry:
    """`text` is how the entry begins; empty if it is gone from the index."""

    id: str
    company: str
    kind: str
    text: str


def put(tx: Tx, turn_id: str, company: str, ids: Collection[str]) -> None:
    if ids:
        rows = [{"turn_id": turn_id, "entry_id": each, "company": company} for each in dict.fromkeys(ids)]
        tx.execute(_put(tx.dialect.name), rows)


@cache
def _put(dialect: str) -> Any:
    """Ignores repeats: a tool may have told the agent what its prompt already holds."""
    return insert_of(dialect, memory_uses).on_conflict_do_nothing()


def of_turns(tx: Tx, turns: Sequence[str]) -> list[UsedEntry]:
    """The entries used in these turns: decisions first, passages of the context last."""
    entry = memory_entries.c
    found = tx.execute(
        sa.select(
            memory_uses.c.entry_id,
            memory_uses.c.company,
            entry.kind,
            sa.func.substr(entry.text, 1, _BEGINNING + 1).label("text"),
        )
        .distinct()
        .outerjoin(
            memory_entries,
            sa.and_(entry.company == memory_uses.c.company, entry.id == memory_uses.c.entry_id),
        )
        .where(memory_uses.c.turn_id.in_(turns))
        .order_by(memory_uses.c.entry_id)
    )
    used = [
        UsedEntry(id=row.entry_id, company=row.company, kind=row.kind or "", text=_beginning(row.text or ""))
        for row in found
    ]
    return sorted(used, key=lambda each: (each.kind == "context", each.kind != "decision"))


def _beginning(text: str) -> str:
    words = " ".join(text[:_BEGINNING].split())
    return words if len(text) <= _BEGINNING else f"{words}…"
