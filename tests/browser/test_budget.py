"""The budgets on the page "Costs" in a real browser: what is used, a new limit, more money for now."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from tests.browsing import CHROMIUM, page_of, visit

from nanoclaw.domain.money import Spender
from nanoclaw.durable import costs
from nanoclaw.durable.clock import now
from nanoclaw.durable.costs import Cost, State
from nanoclaw.testing import started_host

pytestmark = [
    pytest.mark.capability("J2", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


async def test_an_owner_sees_and_changes_a_budget(home: Path, browser: Browser) -> None:
    async with started_host(home) as host, page_of(browser, host, base_url=host.url, **PHONE) as page:
        spender = Spender(company="demo", group="main", session_id="s", turn_id="t", runtime="native")
        cost = Cost(
            id="u_1",
            at=now(),
            spender=spender,
            model="m",
            host=host.engine.host,
            micros=4_300_000,
            state=State.SETTLED,
        )
        await host.store.write(lambda tx: costs.settle(tx, cost))
        await visit(page, "costs")
        card = page.get_by_role("group", name="Budget of demo")
        await expect(card).to_contain_text("$4.30, no limit")
        await card.get_by_text("Change it").click()
        amount = card.get_by_label("Dollars")
        await amount.fill("fifty")
        await card.get_by_role("button", name="Set the limit").click()
        await expect(card).to_contain_text("Write dollars as a number")
        await amount.fill("$5")
        await card.get_by_role("button", name="Set the limit").click()
        await expect(card).to_contain_text("$4.30 of $5.00 (86%)")
        await expect(card).to_contain_text("sonnet works in place of opus")
        await card.get_by_label("More for today").fill("+20")
        await card.get_by_role("button", name="Add", exact=True).click()
        await expect(card).to_contain_text("$4.30 of $25.00 (17%)")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.screenshot(path=str(home / "budget.png"), full_page=True)
        # What someone writes into the file shows by itself.
        (home / "companies" / "demo" / "budget.json").write_text(json.dumps({"daily_limit_usd": 80}))
        await expect(card).to_contain_text("of $100.00")
