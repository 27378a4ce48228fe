"""The rows of batches: a batch and its items. Every change is announced to those who watch."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.batches import Batch, BatchCounts, BatchItem, BatchStatus, ItemState, TextVerdict
from nanoclaw.domain.news import EVERY_CHAT, BatchChanged
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.batch_tables import batch_items, batches
from nanoclaw.durable.store import Tx
from nanoclaw.durable.upsert import insert_if_new

_BATCHES, _ITEMS = batches.c, batch_items.c
_COLUMNS = tuple(each.name for each in batches.columns if each.name not in ("agent_group", "origin"))
_ITEM_COLUMNS = tuple(each.name for each in batch_items.columns)
_GET = sa.select(batches).where(_BATCHES.id == sa.bindparam("batch"))
_LOCK = _GET.with_for_update()
_OF_ORIGIN = sa.select(_BATCHES.id).where(_BATCHES.origin == sa.bindparam("of"))
_MARK = sa.update(batches).where(_BATCHES.id == sa.bindparam("of_batch"))
_OF_BATCH = _ITEMS.batch_id == sa.bindparam("batch")
_THIS_ITEM = sa.and_(_ITEMS.batch_id == sa.bindparam("of_batch"), _ITEMS.number == sa.bindparam("of_number"))
_MARK_ITEM = sa.update(batch_items).where(_THIS_ITEM)
_ITEM = sa.select(batch_items).where(_THIS_ITEM)
_LOT = 500
_RESULT = ("state", "text", "error", "micros", "reserved_micros")
_PUT_RESULT = _MARK_ITEM.values({name: sa.bindparam(f"new_{name}") for name in _RESULT})
_PUT_FAULTS = _MARK_ITEM.values(faults=sa.bindparam("new_faults", type_=sa.JSON))

_AGAIN: dict[str, Any] = {
    "state": ItemState.WAITING.value,
    "attempt": _ITEMS.attempt + 1,
    "error": None,
    "faults": [],
    "grade": None,
    "verdict": TextVerdict.OPEN.value,
    "decided_by": None,
    "part": None,
}


def _count_where(this: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(sa.case((this, 1), else_=0)), 0)


_COUNT = sa.select(
    sa.func.count().label("items"),
    *(_count_where(_ITEMS.state == state.value).label(state.value) for state in ItemState),
    _count_where(
        sa.and_(_ITEMS.state == ItemState.SUCCEEDED.value, sa.cast(_ITEMS.faults, sa.Text) == "[]")
    ).label("passed"),
    _count_where(_ITEMS.verdict == TextVerdict.APPROVED.value).label("approved"),
    _count_where(_ITEMS.verdict == TextVerdict.REJECTED.value).label("rejected"),
    sa.func.coalesce(sa.func.sum(_ITEMS.micros), 0).label("micros"),
).where(_OF_BATCH)


def add(tx: Tx, batch: Batch, origin: str | None = None) -> tuple[Batch, bool]:
    """Add a batch, or find the one with this origin; returns it and whether it is new."""
    if origin is not None and (known := of_origin(tx, origin)):
        return known, False
    values = {name: getattr(batch, name) for name in _COLUMNS}
    values |= {"agent_group": batch.group, "origin": origin}
    tx.execute(sa.insert(batches).values(**values))  # on a conflict the loser retries
    announce(tx, EVERY_CHAT, BatchChanged(batch.id))
    return batch, True


def of_origin(tx: Tx, origin: str) -> Batch | None:
    known = tx.execute(_OF_ORIGIN, {"of": origin}).scalar()
    return get(tx, known) if known else None


def get(tx: Tx, batch_id: str) -> Batch | None:
    row = tx.execute(_GET, {"batch": batch_id}).one_or_none()
    return _batch(row) if row else None


def locked(tx: Tx, batch_id: str) -> Batch | None:
    """The batch, locked for changes on PostgreSQL."""
    row = tx.execute(_LOCK, {"batch": batch_id}).one_or_none()
    return _batch(row) if row else None


def mark(tx: Tx, batch_id: str, **values: object) -> None:
    tx.execute(_MARK.values(**values), {"of_batch": batch_id})
    announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def newest(
    tx: Tx,
    companies: Iterable[str] | None = None,
    *,
    groups: Iterable[str] | None = None,
    chat_id: str | None = None,
    statuses: Iterable[BatchStatus] = (),
    before: str | None = None,
    limit: int = 20,
) -> list[Batch]:
    """Batches, newest first."""
    where: list[sa.ColumnElement[bool]] = []
    if companies is not None:
        where.append(_BATCHES.company.in_(list(companies)))
    if groups is not None:
        where.append(_BATCHES.agent_group.in_(list(groups)))
    if chat_id is not None:
        where.append(_BATCHES.chat_id == chat_id)
    if wanted := [status.value for status in statuses]:
        where.append(_BATCHES.status.in_(wanted))
    if before is not None:
        where.append(_BATCHES.id < before)
    rows = tx.execute(sa.select(batches).where(*where).order_by(_BATCHES.id.desc()).limit(limit))
    return [_batch(row) for row in rows]


def ending(tx: Tx, end: str) -> list[Batch]:
    """Batches whose id ends like this, which is all that people see of it. Newest first."""
    fits = _BATCHES.id.endswith(end, autoescape=True)
    rows = tx.execute(sa.select(batches).where(fits).order_by(_BATCHES.id.desc()).limit(5))
    return [_batch(row) for row in rows]


def asked_by(tx: Tx, person_id: str) -> int:
    """How many batches of this person wait for a yes."""
    these = sa.and_(_BATCHES.started_by == person_id, _BATCHES.status == BatchStatus.ASKED.value)
    return tx.execute(sa.select(sa.func.count()).select_from(batches).where(these)).scalar_one()


# Items


def add_items(tx: Tx, batch_id: str, items: Sequence[BatchItem]) -> None:
    """Add items; existing ones stay as they are: topics are found again after a crash."""
    if not items:
        return
    tx.execute(insert_if_new(tx, batch_items), [_item_values(item) for item in items])
    announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def forget_items(tx: Tx, batch_id: str, *, after: int) -> None:
    """Delete the items after a number, which nobody wants."""
    tx.execute(sa.delete(batch_items).where(_ITEMS.batch_id == batch_id, _ITEMS.number > after))


def items(
    tx: Tx,
    batch_id: str,
    *,
    state: ItemState | None = None,
    verdict: TextVerdict | None = None,
    part: int | None = None,
    after: int = 0,
    limit: int = 100,
) -> list[BatchItem]:
    """Items in order."""
    where = [_ITEMS.batch_id == batch_id, _ITEMS.number > after]
    if state is not None:
        where.append(_ITEMS.state == state.value)
    if verdict is not None:
        where.append(_ITEMS.verdict == verdict.value)
    if part is not None:
        where.append(_ITEMS.part == part)
    rows = tx.execute(sa.select(batch_items).where(*where).order_by(_ITEMS.number).limit(limit))
    return [to_item(row) for row in rows]


def items_numbered(tx: Tx, batch_id: str, numbers: Sequence[int]) -> list[BatchItem]:
    """The items with these numbers, in order; unknown numbers are left out."""
    found: list[BatchItem] = []
    for some in _in_lots(sorted(numbers)):
        wanted = sa.select(batch_items).where(_ITEMS.batch_id == batch_id, _ITEMS.number.in_(some))
        found += [to_item(row) for row in tx.execute(wanted.order_by(_ITEMS.number))]
    return found


def item(tx: Tx, batch_id: str, number: int) -> BatchItem | None:
    row = tx.execute(_ITEM, {"of_batch": batch_id, "of_number": number}).one_or_none()
    return to_item(row) if row else None


def mark_item(tx: Tx, batch_id: str, number: int, **values: object) -> None:
    tx.execute(_MARK_ITEM.values(**values), {"of_batch": batch_id, "of_number": number})
    announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def send_again(tx: Tx, batch_id: str, numbers: Sequence[int]) -> None:
    """Let these items wait again as if nothing had happened, under new custom ids."""
    for some in _in_lots(numbers):
        these = sa.and_(_ITEMS.batch_id == batch_id, _ITEMS.number.in_(some))
        tx.execute(sa.update(batch_items).where(these).values(_AGAIN))
    announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def put_results(tx: Tx, batch_id: str, results: Sequence[BatchItem]) -> None:
    """Store state, text, error and cost of each; nothing is set aside for them any more."""
    if not results:
        return
    tx.execute(_PUT_RESULT, [_result_values(each) for each in results])
    announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def put_faults(tx: Tx, batch_id: str, faults: Mapping[int, Sequence[Mapping[str, Any]]]) -> None:
    """Store what the check found in each text, by number."""
    rows = [
        {"of_batch": batch_id, "of_number": number, "new_faults": [dict(each) for each in found]}
        for number, found in faults.items()
    ]
    if rows:
        tx.execute(_PUT_FAULTS, rows)
        announce(tx, EVERY_CHAT, BatchChanged(batch_id))


def topics(tx: Tx, batch_id: str) -> list[str]:
    rows = tx.execute(sa.select(_ITEMS.topic).where(_OF_BATCH).order_by(_ITEMS.number), {"batch": batch_id})
    return [topic for (topic,) in rows]


def counts(tx: Tx, batch_id: str) -> BatchCounts:
    row = tx.execute(_COUNT, {"batch": batch_id}).one()
    return BatchCounts(**{name: int(value) for name, value in row._mapping.items()})


def _in_lots(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Lots of numbers: databases limit the parameters of a statement."""
    for start in range(0, len(numbers), _LOT):
        yield list(numbers[start : start + _LOT])


def _batch(row: Any) -> Batch:
    found = {name: getattr(row, name) for name in _COLUMNS}
    return Batch(**{**found, "group": row.agent_group, "status": BatchStatus(found["status"])})


def to_item(row: Any) -> BatchItem:
    found = {name: getattr(row, name) for name in _ITEM_COLUMNS}
    found |= {"state": ItemState(row.state), "verdict": TextVerdict(row.verdict), "faults": tuple(row.faults)}
    return BatchItem(**found)


def _item_values(item: BatchItem) -> dict[str, Any]:
    values = {name: getattr(item, name) for name in _ITEM_COLUMNS}
    return {
        **values,
        "state": item.state.value,
        "verdict": item.verdict.value,
        "faults": list(item.faults),
    }


def _result_values(item: BatchItem) -> dict[str, Any]:
    values = {f"new_{name}": getattr(item, name) for name in _RESULT}
    return {**values, "new_state": item.state.value, "of_batch": item.batch_id, "of_number": item.number}
