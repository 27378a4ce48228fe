"""On whose clock a company's days begin: that of its `budget.json`, else the workspace's."""

import json
from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from nanoclaw.domain.locale import known_zone


def clock_of(home: Path, usual: tzinfo) -> Callable[[str], tzinfo]:
    """A file that cannot be read changes no report: whoever checks budgets says what is wrong with it."""

    def zone_of(company: str) -> tzinfo:
        if not company.replace("-", "").replace("_", "").isalnum():  # no company, or not a name of a folder
            return usual
        try:
            found = json.loads((home / "companies" / company / "budget.json").read_bytes())
        except (OSError, ValueError):
            return usual
        name = found.get("timezone") if isinstance(found, dict) else None
        return ZoneInfo(name) if isinstance(name, str) and known_zone(name) else usual

    return zone_of
