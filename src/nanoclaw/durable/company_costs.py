"""When a company's day and month began, on its clock."""

from datetime import datetime, tzinfo


def day_and_month(at: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """When this time's day and month began in that zone."""
    day = at.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return day, day.replace(day=1)
