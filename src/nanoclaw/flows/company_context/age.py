"""Once a month owners are told which context files have not been changed for longer than expected."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from nanoclaw.context.groups import Groups
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.context_files import RHYTHMS, is_stale
from nanoclaw.durable import notes, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.company_context.versions import ContextVersions
from nanoclaw.texts import say

KIND = "context-age"
KEY = "workspace"
_NOTE = "context-age"
_PERIOD = timedelta(days=30)
_FIRST = timedelta(minutes=10)  # after a start, so as not to slow it down


@dataclass(frozen=True, kw_only=True, slots=True)
class Stale:
    company: str
    file: str
    days: int


def stale_files(versions: ContextVersions, groups: Groups, at: datetime) -> Iterator[Stale]:
    """The stale files of every company that an agent group works for. Blocks: use a thread."""
    for company in sorted({found for name in groups.usable() if (found := groups.company_of(name))}):
        for file, changed in versions.changed_at(company).items():
            if is_stale(file, changed, at):
                yield Stale(company=company, file=file, days=(at - changed).days)


@dataclass(kw_only=True)
class ContextAge:
    """The only work of kind "context-age"."""

    store: Store
    versions: ContextVersions
    groups: Groups
    alerts: Alerts
    kind: str = KIND
    at_once: int = 1

    def plan(self, tx: Tx) -> None:
        """At a start, plan when owners are told next. A new workspace has a month."""
        told = notes.read(tx, _NOTE)
        if told is None:
            notes.write(tx, _NOTE, {"at": now().isoformat()}, now())
        last = datetime.fromisoformat(told["at"]) if told else now()
        work.due(tx, KIND, KEY, max(last + _PERIOD, now() + _FIRST))

    def begin(self, _tx: Tx, claim: Claim) -> Claim:
        return claim

    def look_again(self, key: str) -> None:
        """Nothing to do: nothing changes while it runs."""

    async def run(self, job: Claim, claim: Claim) -> datetime | None:
        found = await asyncio.to_thread(lambda: list(stale_files(self.versions, self.groups, now())))
        return await self.store.write(partial(self._tell, claim=claim, found=found))

    def _tell(self, tx: Tx, *, claim: Claim, found: list[Stale]) -> datetime | None:
        at = now()
        if found:
            self.alerts.post(tx, f"context {at:%Y-%m-%d}", lambda language: (_words(language, found), ()))
        notes.write(tx, _NOTE, {"at": at.isoformat()}, at)
        return work.finish(tx, claim, again_at=at + _PERIOD)


def _words(language: str, found: list[Stale]) -> str:
    several = len({each.company for each in found}) > 1
    lines = [
        say(
            language,
            "context-stale-line",
            file=f"{each.company}: {each.file}" if several else each.file,
            days=each.days,
            rhythm=RHYTHMS[each.file].value,
        )
        for each in found
    ]
    return "\n\n".join(
        [say(language, "context-stale-head"), "\n".join(lines), say(language, "context-stale-foot")]
    )
