"""What each company spent today and this month, for people to read."""

from dataclasses import dataclass
from datetime import datetime, tzinfo

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs


@dataclass(frozen=True, kw_only=True, slots=True)
class Sum:
    """Model calls added up. Calls in flight count with their maximum."""

    calls: int = 0
    input: int = 0
    output: int = 0
    micros: int = 0

    def __add__(self, other: "Sum") -> "Sum":
        return Sum(
            calls=self.calls + other.calls,
            input=self.input + other.input,
            output=self.output + other.output,
            micros=self.micros + other.micros,
        )


_ALL_IN = costs.c.input_tokens + costs.c.cache_read_tokens + costs.c.cache_write_tokens


def by_company(tx: Tx, since: datetime) -> dict[str, Sum]:
    """Since that time; companies that spent nothing are left out."""
    rows = tx.execute(
        sa.select(
            costs.c.company,
            sa.func.count(),
            sa.func.sum(_ALL_IN),
            sa.func.sum(costs.c.output_tokens),
            sa.func.sum(costs.c.micros),
        )
        .where(costs.c.at >= since)
        .group_by(costs.c.company)
        .order_by(costs.c.company)
    )
    # PostgreSQL returns sums of big integers as decimals.
    return {
        company: Sum(calls=calls, input=int(all_in), output=int(output), micros=int(micros))
        for company, calls, all_in, output, micros in rows
    }


def day_and_month(at: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """When this time's day and month began in that zone."""
    day = at.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return day, day.replace(day=1)
