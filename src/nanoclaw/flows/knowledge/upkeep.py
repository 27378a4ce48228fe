"""What is done with a company's memory as a whole: maintenance once a month, and purging."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.durable import notes
from nanoclaw.durable.memory_changes import Change, ChangeState
from nanoclaw.durable.store import Tx

_MONTH = timedelta(days=30)


@dataclass(frozen=True, kw_only=True, slots=True)
class Upkeep:
    home: Path
    alerts: Alerts

    def is_due(self, tx: Tx, company: str, at: datetime) -> bool:
        """A month after the last time, or after the company was first seen here."""
        if (last := notes.read(tx, _key(company))) is None:
            notes.write(tx, _key(company), {"at": at.isoformat()}, at)
            return False
        return at - datetime.fromisoformat(last["at"]) >= _MONTH

    async def monthly(self, company: str) -> dict[str, Any]:
        raise NotImplementedError

    async def carry_out(self, change: Change) -> tuple[ChangeState, dict[str, Any]]:
        raise NotImplementedError

    def tell(self, tx: Tx, company: str, report: dict[str, Any], at: datetime) -> None:
        raise NotImplementedError


def _key(company: str) -> str:
    return f"memory maintained {company}"
