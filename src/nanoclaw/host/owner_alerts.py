"""Tells owners what is wrong with a bot or a channel: on the page, and wherever else they can still be reached."""

import asyncio
from collections.abc import Callable

import structlog

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.durable.store import Store

log = structlog.get_logger("alerts")


class OwnerAlerts:
    def __init__(self, store: Store, alerts: Alerts) -> None:
        self._store = store
        self._alerts = alerts
        self._running: set[asyncio.Task[None]] = set()

    def tell(self, once: str, words: Callable[[str], str]) -> None:
        """Tell each owner in their language, in the background. The same `once` is posted once."""
        running = asyncio.create_task(self._tell(once, words))
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def close(self) -> None:
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _tell(self, once: str, words: Callable[[str], str]) -> None:
        try:
            await self._store.write(
                lambda tx: self._alerts.post(tx, once, lambda language: (words(language), ()))
            )
        except StoreUnavailable as error:
            log.warning("owner not told", reason=error)
