"""The page "Costs" in a real browser: by day and by anything, the forecast, the dearest turns, a download."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from playwright.async_api import Browser, expect
from tests.browsing import CHROMIUM, page_of, visit
from tests.cost_rows import cost_row, put_costs

from nanoclaw.durable import tables
from nanoclaw.durable.clock import now
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("J4", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


async def test_costs_are_seen_by_day_and_by_anything_and_lead_to_their_stories(
    home: Path, browser: Browser
) -> None:
    async with (
        started_host(home, model=ScriptedModel("Otters.")) as host,
        page_of(browser, host, base_url=host.url, **PHONE) as page,
    ):
        await visit(page, "costs")
        await expect(page.locator(".page-body")).to_contain_text(
            "No model call has cost anything in this time."
        )
        await page.goto("/")
        await page.get_by_role("textbox").fill("What holds hands?")
        await page.keyboard.press("Enter")
        await expect(page.locator("main")).to_contain_text("Otters.")
        turn = await host.store.read(lambda tx: tx.execute(sa.select(tables.turns)).one())
        at = now()
        await put_costs(
            host.store,
            cost_row(turn_id=turn.id, session_id=turn.session_id, micros=5_000_000, saved_by_cache=1_500_000),
            *(
                cost_row(at=at - timedelta(days=days), micros=400_000 * days, turn_id=f"t_{days}")
                for days in range(1, 9)
            ),
            cost_row(
                company="rivals", model="<b>haiku</b>", micros=250_000, turn_id="t_r", saved_by_batch=250_000
            ),
        )

        await visit(page, "costs")
        await expect(page.locator(".costs-head")).to_contain_text("Today $5.25")
        await expect(page.locator(".costs-outlook")).to_contain_text("By the end of the month about $")
        await expect(page.locator(".days .column")).to_have_count(30)
        await expect(page.locator(".costs-saved")).to_have_text(
            "Saved by caching: $1.50, by batches: $0.2500."
        )
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        dearest = page.locator(".dear-turn").first
        await expect(dearest).to_contain_text("$5.00")

        async with page.expect_download() as downloading:
            await page.get_by_role("link", name="Download CSV").click()
        saved = Path(await (await downloading.value).path()).read_text("utf-8-sig")
        assert f"{at:%Y-%m-%d},{at:%Y-%m-%d},2,310,100,40,1.500000,0.250000,5.250000" in saved

        await page.locator("select[name=by]").select_option("model")
        await expect(page).to_have_url(re.compile("by=model"))
        await expect(page.locator(".figures-table tbody").last).to_contain_text("<b>haiku</b>")
        await page.locator("select[name=company]").select_option("rivals")
        await expect(page.locator(".plot figcaption")).to_have_text("$0.2500 in this time, calls: 1")
        await expect(page.locator(".dear-turn")).to_have_count(1)
        await page.locator("select[name=company]").select_option("")
        await page.locator("select[name=since]").select_option("today")
        await expect(page.locator(".plot figcaption")).to_have_text("$5.25 in this time, calls: 2")
        await page.reload()
        await expect(page.locator(".plot figcaption")).to_have_text("$5.25 in this time, calls: 2")

        await dearest.get_by_role("link", name="What happened").click()
        await expect(page.locator(".asked")).to_have_text("What holds hands?")
