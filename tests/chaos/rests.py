"""Work that rests in the end of a trial since many hosts ended during it: by design, and so no fault."""

from datetime import UTC, datetime
from typing import Any

from tests.chaos.pipelines import Rows

from nanoclaw.durable.work import MOST_DEATHS


def moment(stored: Any) -> datetime:
    """SQLite gives what it stores: a text, in UTC."""
    return datetime.fromisoformat(stored).replace(tzinfo=UTC) if isinstance(stored, str) else stored


def resting(rows: Rows) -> dict[str, str]:
    """What is said of each, by its key."""
    found = rows.all(
        "SELECT kind, key, deaths, due_at FROM work WHERE host IS NULL AND deaths >= :most", most=MOST_DEATHS
    )
    return {
        row.key: f"{row.kind} {row.key} rests after {row.deaths} deaths until {moment(row.due_at):%H:%M:%S}"
        for row in found
        if moment(row.due_at) > datetime.now(UTC)
    }


def resting_rooms(rows: Rows) -> dict[str, str]:
    """The same by the rooms in which people wait for it."""
    known = resting(rows)
    return {
        row.chat_id: known[row.id] for row in rows.all("SELECT id, chat_id FROM sessions") if row.id in known
    }
