"""What was paid, added up as it is written: a limit is checked before every call, and a month may have a
million calls.

Sums are kept per quarter of an hour, where the days of every zone begin, so that a budget may change its
zone.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nanoclaw.domain.money import Spender
from nanoclaw.durable.columns import UtcTime
from nanoclaw.durable.money_tables import cost_sums
from nanoclaw.durable.store import Tx
from nanoclaw.durable.upsert import insert_of

if TYPE_CHECKING:
    from nanoclaw.durable.costs import Cost

COMPANY, GROUP, PERSON, TASK = "company", "group", "person", "task"

_TODAY = cost_sums.c.at >= sa.bindparam("day", type_=UtcTime)
_SINCE = sa.select(
    sa.func.coalesce(sa.func.sum(sa.case((_TODAY, cost_sums.c.micros), else_=0)), 0),
    sa.func.coalesce(sa.func.sum(cost_sums.c.micros), 0),
).where(
    cost_sums.c.company == sa.bindparam("company"),
    cost_sums.c.kind == sa.bindparam("kind"),
    cost_sums.c.name == sa.bindparam("name"),
    cost_sums.c.at >= sa.bindparam("month", type_=UtcTime),
)


def add(tx: Tx, costs: Iterable["Cost"]) -> None:
    """Add these payments. Always in the same order: two transactions that add to the same sums wait for each
    other.
    """
    sums: Counter[tuple[str, str, str, datetime]] = Counter()
    for cost in costs:
        for kind, name in names_of(cost.spender):
            sums[cost.spender.company, kind, name, _quarter(cost.at)] += cost.micros
    rows = [
        {"company": company, "kind": kind, "name": name, "at": at, "micros": micros}
        for (company, kind, name, at), micros in sorted(sums.items())
    ]
    if rows:
        tx.execute(_adding(tx.dialect.name), rows)


def since(
    tx: Tx, company: str, kind: str = COMPANY, name: str = "", *, day: datetime, month: datetime
) -> tuple[int, int]:
    """Micros paid since the day and the month began, without reservations."""
    values = {"company": company, "kind": kind, "name": name, "day": day, "month": month}
    found = tx.execute(_SINCE, values).first()
    return (int(found[0]), int(found[1])) if found else (0, 0)


def names_of(spender: Spender) -> list[tuple[str, str]]:
    """Whom a call is counted for: pairs of kind and name."""
    names = [(COMPANY, ""), (GROUP, spender.group)]
    if spender.person is not None:
        names.append((PERSON, spender.person))
    if spender.task_id is not None:
        names.append((TASK, str(spender.task_id)))
    return names


def _quarter(at: datetime) -> datetime:
    at = at.astimezone(UTC)
    return at.replace(minute=at.minute // 15 * 15, second=0, microsecond=0)


@cache
def _adding(dialect: str) -> Any:
    insert = insert_of(dialect, cost_sums)
    more = {"micros": cost_sums.c.micros + insert.excluded.micros}
    return insert.on_conflict_do_update(index_elements=list(cost_sums.primary_key), set_=more)
