"""Flow J. A company nears the end of its budget: its owners are told, once for each level of a day and a
month.

It also writes the month's sums into `budget.json`, for people to read."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import structlog

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.budgets import Level, Standing, Used, periods
from nanoclaw.domain.errors import ModelRefused, StoreUnavailable
from nanoclaw.domain.money import MICROS
from nanoclaw.durable import budgets
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.budgets.budget_text import alert_text

log = structlog.get_logger("budget")

_WRITE_EVERY = 180.0  # seconds: people look at the file now and then, and it is in git
_LEVELS = (Level.STEPPED_DOWN, Level.SMALLEST, Level.SPENT)


@dataclass(kw_only=True, slots=True)
class BudgetNews:
    """Follows up on money that was spent, in the background: no call waits for it."""

    store: Store
    files: BudgetFiles
    alerts: Alerts
    write_every: float = _WRITE_EVERY
    _running: set[asyncio.Task[None]] = field(default_factory=set)
    _planned: dict[str, asyncio.TimerHandle] = field(default_factory=dict)

    def risen(self, company: str, standing: Standing) -> None:
        """Tell the owners that a level was reached."""
        self.begin(partial(self._tell, company=company, standing=standing))

    def spent(self, company: str) -> None:
        """Bring the company's file up to date within some minutes."""
        if company not in self._planned:
            loop = asyncio.get_running_loop()
            self._planned[company] = loop.call_later(self.write_every, self.write_month, company)

    def write_month(self, company: str) -> None:
        """Bring the company's file up to date now."""
        if planned := self._planned.pop(company, None):
            planned.cancel()
        self.begin(partial(self._write_month, company))

    async def close(self) -> None:
        for planned in list(self._planned):
            self.write_month(planned)
        await asyncio.gather(*self._running, return_exceptions=True)

    def begin(self, story: Callable[[], Coroutine[None, None, None]]) -> None:
        running = asyncio.create_task(story())
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _tell(self, company: str, standing: Standing) -> None:
        try:
            await self.store.write(partial(self._post, company=company, standing=standing, at=now()))
        except StoreUnavailable as error:
            log.warning("owner not told of budget", reason=error)

    def _post(self, tx: Tx, company: str, standing: Standing, at: datetime) -> None:
        for used in (standing.day, standing.month):
            reached = [level for level in _LEVELS if _level(standing, used) >= level]
            # One expensive call can reach several levels: each is noted, and only the highest is told.
            fresh = [
                level
                for level in reached
                if budgets.take_alert(tx, company, used.period.value, used.began, level, at)
            ]
            if fresh and fresh[-1] is reached[-1]:
                level = fresh[-1]
                self.alerts.post(
                    tx,
                    f"budget {company} {used.period.value} {used.began:%Y-%m-%d} {level.value}",
                    lambda language, used=used, level=level: (  # type: ignore[misc]
                        alert_text(standing, used, level, company, language),
                        (),
                    ),
                )

    async def _write_month(self, company: str) -> None:
        try:
            zone = self.files.of(company).zone
            since = periods(now(), zone)[1][0]
            total, by_model, by_flow = await self.store.read(lambda tx: budgets.month_by(tx, company, since))
            month = {
                "total_usd": _usd(total),
                "by_model": {model: _usd(micros) for model, micros in by_model.items()},
                "by_flow": {flow: _usd(micros) for flow, micros in by_flow.items()},
            }
            await asyncio.to_thread(self.files.put_month, company, month)
        except (ModelRefused, StoreUnavailable, OSError) as error:
            log.warning("month not written to budget", company=company, reason=error)


def _level(standing: Standing, used: Used) -> Level:
    return Level.SPENT if standing.is_empty and used is standing.worse else standing.level_of(used)


def _usd(micros: int) -> float:
    return round(micros / MICROS, 6)
