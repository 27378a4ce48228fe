"""What a company's writer does with its memory as a whole: maintenance once a month, and purging."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.durable import memory_changes, notes
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Action, Change, ChangeState
from nanoclaw.durable.store import Tx
from nanoclaw.git import history
from nanoclaw.git.repository import Repository
from nanoclaw.memory.entries import Provenance
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.maintenance import maintain
from nanoclaw.memory.purge import PurgeFilter, purge
from nanoclaw.texts import say

log = structlog.get_logger("memory")

_MONTH = timedelta(days=30)


@dataclass(frozen=True, kw_only=True, slots=True)
class Upkeep:
    home: Path
    files: MemoryFiles
    alerts: Alerts

    def is_due(self, tx: Tx, company: str, at: datetime) -> bool:
        """Whether a month has passed since the last time, or since the company was first seen here."""
        if (last := notes.read(tx, _key(company))) is None:
            notes.write(tx, _key(company), {"at": at.isoformat()}, at)
            return False
        return at - datetime.fromisoformat(last["at"]) >= _MONTH

    async def maintain(self, company: str) -> dict[str, Any]:
        """Maintain the files. If killed midway, the next run continues: everything it does is in the files."""
        report = await asyncio.to_thread(maintain, self.files, company, now())
        return {
            "doubles": len(report.doubles),
            "expired": len(report.expired),
            "archived": len(report.archived),
            "facts": report.facts,
            "bad_lines": report.bad_lines,
        }

    async def carry_out(self, change: Change) -> tuple[ChangeState, dict[str, Any]]:
        """Carry out a change; returns what its `reason` says from then on."""
        if change.action is Action.MAINTAIN:
            return ChangeState.WRITTEN, await self.maintain(change.company)
        return ChangeState.WRITTEN, await asyncio.to_thread(self._purge, change)

    def _purge(self, change: Change) -> dict[str, Any]:
        by = Provenance(person=(change.body or {}).get("person"), trust=change.trust, via="purge")
        gone = purge(self.files, change.company, [change.entry_id or ""], change.created_at, by)
        told: dict[str, Any] = {"entries": list(gone.entries), "still_in": list(gone.still_in)}
        try:
            made = history.rewrite(
                Repository(self.home), f"companies/{change.company}/", PurgeFilter(gone.entries)
            )
        except NanoClawError as error:  # no repository, or one that is busy with something else
            log.warning("words not removed from the history of git", company=change.company, reason=error)
            return {**told, "git": error.key}
        return {**told, "commands": list(made.commands), "is_complete": made.is_complete}

    def purged(self, tx: Tx, company: str, reason: dict[str, Any]) -> None:
        """Remove the purged words from the rows of changes too."""
        for entry_id in reason["entries"]:
            memory_changes.forget_words(tx, company, entry_id)

    def maintained(self, tx: Tx, company: str, report: dict[str, Any], at: datetime) -> None:
        notes.write(tx, _key(company), {"at": at.isoformat()}, at)
        if any(report[name] for name in ("doubles", "expired", "archived")):
            self.alerts.post(
                tx,
                f"memory maintained {company} {at:%Y-%m-%d}",
                lambda language: (say(language, "alert-memory-maintained", company=company, **report), ()),
            )


def _key(company: str) -> str:
    return f"memory maintained {company}"
