"""What time it is. Everything inside is UTC; zones belong to people."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
