"""The page of handoffs in a real browser: a chain is watched as it grows, and cancelled."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from tests.browsing import CHROMIUM, page_of, visit
from tests.handoff_scene import handing

pytestmark = [
    pytest.mark.capability("C1", "C3", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

PHONE = {"viewport": {"width": 390, "height": 844}}


async def test_a_chain_is_watched_as_it_grows_and_cancelled(tmp_path: Path, browser: Browser) -> None:
    async with (
        handing(tmp_path / "w") as here,
        page_of(browser, here.host, base_url=here.host.url, **PHONE) as page,
    ):
        await visit(page, "handoffs")
        await expect(page.get_by_role("status").first).to_contain_text("Nothing was handed over yet.")
        here.agent.does(
            "facts about otters",
            here.agent.call("handoff", to=["writer", "checker"], content="Otters <b>hold</b> hands"),
            "Both have it.",
        )
        held = here.agent.holds("Otters <b>hold</b> hands".replace("<", "&lt;").replace(">", "&gt;"))
        await here.hand("tell me of otters", to="researcher", content="facts about otters", type="callback")
        await held.until_begun()
        writer = page.locator(".node", has_text="writer")
        await expect(writer).to_have_attribute("data-state", "running")
        await expect(page.locator(".picture-row[data-many] .node")).to_have_count(2)
        await expect(page.locator(".picture .node").first).to_contain_text("tell me of otters")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390

        await writer.click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("researcher → writer")
        await expect(page.locator(".step-plain").first).to_have_text("Otters <b>hold</b> hands")
        await page.locator(".node", has_text="researcher").nth(1).click()
        await page.get_by_role("button", name="Cancel the handoff").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Cancel the handoff").click()
        await expect(page.locator(".run-status")).to_contain_text("cancelled")
        await expect(writer).to_have_attribute("data-state", "cancelled")
        held.go_on()
