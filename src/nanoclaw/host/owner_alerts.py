"""Tells owners what is wrong with bots, channels, vendors and servers: on the page, and wherever else they are."""

import asyncio
from collections.abc import Callable, Sequence

import structlog

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.domain.money import Usage, dollars
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store
from nanoclaw.texts import say

_MOST_NAMED = 10

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

    def doubt(self, vendor: str, said: Usage, micros: int, reserved: int | None) -> None:
        """A vendor's bill that cannot be true: told once a day, however many there are."""
        tokens = max(said.output, said.input + said.cache_read + said.cache_write)
        told = {"vendor": vendor, "tokens": f"{tokens:,}", "money": dollars(micros)}
        key = "alert-bill"
        if reserved is not None:
            key, told = "alert-bill-beyond", told | {"most": dollars(reserved)}
        self.tell(f"{key} {vendor} {now():%Y-%m-%d}", lambda language: say(language, key, **told))

    def tools_left_out(self, server: str, count: int) -> None:
        told = {"server": server, "count": count}
        self.tell(
            f"mcp-left-out {server} {count}", lambda language: say(language, "alert-mcp-left-out", **told)
        )

    def tools_changed(self, server: str, tools: Sequence[str]) -> None:
        """Once a day: a server may change its mind all the time."""
        more = ", …" if len(tools) > _MOST_NAMED else ""
        told = {"server": server, "tools": ", ".join(sorted(tools)[:_MOST_NAMED]) + more}
        once = f"mcp-changed {server} {now():%Y-%m-%d}"
        self.tell(once, lambda language: say(language, "alert-mcp-changed", **told))

    async def close(self) -> None:
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _tell(self, once: str, words: Callable[[str], str]) -> None:
        try:
            await self._store.write(
                lambda tx: self._alerts.post(tx, once, lambda language: (words(language), ()))
            )
        except StoreUnavailable as error:
            log.warning("owner not told", reason=error)
