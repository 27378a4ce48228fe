"""Assembles budgets: the files people write, what is used of them, and who is told."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

import structlog

from nanoclaw.context.budget_files import FILE, BudgetFiles
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.errors import ModelRefused, Refused
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.news import BudgetChanged, News
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store
from nanoclaw.flows.budget import BudgetNews
from nanoclaw.flows.budgets.changes import BudgetChanges
from nanoclaw.flows.budgets.commands import BudgetCommands
from nanoclaw.gateway.prices import Prices
from nanoclaw.gateway.standings import Standings
from nanoclaw.gateway.step_down import TIERS, StepDown
from nanoclaw.host.admission import Admission
from nanoclaw.host.base import Base
from nanoclaw.host.owner_alerts import OwnerAlerts
from nanoclaw.host.settings import Settings
from nanoclaw.sandbox.folder_watch import Watcher
from nanoclaw.texts import say, tell

log = structlog.get_logger("budget")


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetParts:
    files: BudgetFiles
    changes: BudgetChanges
    standings: Standings
    news: BudgetNews
    step_down: StepDown

    @classmethod
    def of(cls, base: Base, admission: Admission, alerts: Alerts) -> Self:
        settings, store = base.settings, base.store
        files = BudgetFiles(base.home, usual_budget(settings))
        changes = BudgetChanges(files=files)
        news = BudgetNews(store=store, files=files, alerts=alerts)
        standings = Standings(store, files.of, spent=news.spent, risen=news.risen)
        admission.commands.learn(BudgetCommands(groups=base.groups, changes=changes).answers())
        tiers = {tier: getattr(settings.agents, tier) for tier in TIERS}
        parts = cls(
            files=files,
            changes=changes,
            standings=standings,
            news=news,
            step_down=StepDown(standings, tiers, Prices(settings.prices)),
        )
        store.after_commit.tells(parts.hear)
        return parts

    def hear(self, _chat: str, news: News) -> None:
        if isinstance(news, BudgetChanged):
            self.standings.changed(news.company)
            self.news.write_month(news.company)


class BudgetWatch:
    """Notices at once when a person changes a budget file: work that waits for money makes no call that would
    look.
    """

    def __init__(self, home: Path, store: Store, parts: BudgetParts, owners: OwnerAlerts) -> None:
        self._folder = home / "companies"
        self._store = store
        self._parts = parts
        self._watcher = Watcher()
        self._opened: list[int] = []
        self._seen: dict[str, Budget | None] = {}
        loop = asyncio.get_running_loop()

        def broken(company: str, fault: Refused) -> None:
            """Files are read in the threads of transactions too."""
            loop.call_soon_threadsafe(_tell_broken, owners, parts.files, company, fault)

        parts.files.broken = broken

    def start(self) -> None:
        self._watch(self._folder, lambda _name: self._look_for_new())
        self._look_for_new()

    async def close(self) -> None:
        await self._watcher.close()
        for descriptor in self._opened:
            os.close(descriptor)

    def _look_for_new(self) -> None:
        for folder in sorted(self._folder.iterdir()) if self._folder.is_dir() else ():
            if folder.is_dir() and folder.name not in self._seen:
                self._seen[folder.name] = self._budget(folder.name)
                self._watch(folder, partial(self._look, folder.name))

    def _watch(self, folder: Path, told: Callable[[str | None], None]) -> None:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            log.warning("budgets are not watched", reason=error)
            return
        self._opened.append(descriptor)
        self._watcher.watch(descriptor, told)

    def _look(self, company: str, name: str | None) -> None:
        if name not in (None, FILE):
            return
        budget = self._budget(company)
        if budget is not self._seen.get(company):
            self._seen[company] = budget
            self._begin(company)

    def _begin(self, company: str) -> None:
        self._parts.news.begin(
            lambda: self._store.write(lambda tx: self._parts.changes.changed(tx, company, now()))
        )

    def _budget(self, company: str) -> Budget | None:
        try:
            return self._parts.files.of(company)
        except ModelRefused:
            return None


def usual_budget(settings: Settings) -> Budget:
    """The budget from `[spending]`, for companies without a file."""
    day, month = settings.spending.day, settings.spending.month
    return Budget(
        limits=BudgetLimits(
            day=None if day is None else round(day * MICROS),
            month=None if month is None else round(month * MICROS),
        ),
        zone=settings.locale.zone,
    )


def _tell_broken(owners: OwnerAlerts, files: BudgetFiles, company: str, fault: Refused) -> None:
    keeps = "yes" if files.has_good(company) else "no"
    owners.tell(
        f"budget-broken {company} {fault}",
        lambda language: say(
            language, "alert-budget-broken", company=company, keeps=keeps, reason=tell(language, fault)
        ),
    )
