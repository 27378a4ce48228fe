"""What a host must know about time when it starts: the newest ids, and whether a clock was set while it was
down.

Until the machine restarts, the clock that nobody can set tells. After that only one thing is certain: it
cannot be earlier than what was written last.
"""

from datetime import datetime, timedelta

import sqlalchemy as sa

from nanoclaw.domain import ids
from nanoclaw.durable import notes
from nanoclaw.durable.clock import A_JUMP
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages, parcels, timeline, turns
from nanoclaw.durable.tables import notes as rows

_KEY = "clock"


def go_on_after_newest(tx: Tx) -> None:
    """Make new ids sort after every old one, even if the clock was set back."""
    for table in (messages, parcels, turns, timeline):
        if newest := tx.execute(sa.select(sa.func.max(table.c.id))).scalar():
            ids.go_on_after(newest)


def moved_since(tx: Tx, at: datetime, *, apart: float, boot: str) -> timedelta:
    """By how much the clock was set since it was last stored; zero if it was not, or nobody can tell."""
    known = notes.read(tx, _KEY) or {}
    if boot and known.get("boot") == boot:
        by = timedelta(seconds=apart - known["apart"])
    else:
        last = tx.execute(sa.select(timeline.c.at).order_by(timeline.c.id.desc()).limit(1)).scalar()
        by = min(at - last, timedelta()) if last else timedelta()
    return by if abs(by) >= A_JUMP else timedelta()


def remember(tx: Tx, at: datetime, *, apart: float, boot: str) -> int:
    """Store the state of the clocks. Returns how often the clock was set."""
    times = settings_seen(tx)
    notes.write(tx, _KEY, {"boot": boot, "apart": apart, "times": times}, at)
    return times


def settings_seen(tx: Tx) -> int:
    """How often a host has adjusted things because a clock was set."""
    found = tx.execute(sa.select(rows.c.value).where(rows.c.key == _KEY).with_for_update()).scalar()
    return int((found or {}).get("times", 0))


def count_setting(tx: Tx, at: datetime, *, apart: float, boot: str) -> int:
    """Count one more adjustment: if several hosts notice, only the first makes it."""
    times = settings_seen(tx) + 1
    notes.write(tx, _KEY, {"boot": boot, "apart": apart, "times": times}, at)
    return times
