"""The page of batches in a real browser: texts are reviewed with keys, scheduled and saved, a batch is started."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from tests.batch_scene import write_batch
from tests.browsing import CHROMIUM, page_of, visit

from nanoclaw.domain.batches import TextVerdict
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("I1", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
FIRST = "# Beans\n\nCoffee is **better** with friends."
TEXTS = (FIRST, "!Odd text", "", "Fourth <b>text</b>", "Fifth text", "Sixth text")


async def reads(page: Page, number: int) -> None:
    await expect(page.get_by_role("heading", level=2)).to_contain_text(f"Text {number} of 6")


async def test_texts_are_reviewed_with_keys_then_scheduled_and_saved(home: Path, browser: Browser) -> None:
    async with (
        started_host(home, model=ScriptedModel()) as host,
        page_of(browser, host, base_url=host.url) as page,
    ):
        batch = await write_batch(host, *TEXTS)
        await visit(page, "batches")
        card = page.get_by_role("group", name="posts about coffee")
        await expect(card).to_contain_text("Written: 5 of 6")
        await card.get_by_role("link").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("6 × posts about coffee")
        await expect(page.locator(".batch-text")).to_have_count(6)
        failed = page.locator(".batch-text").nth(2)
        await expect(failed).to_contain_text("overloaded_error: Overloaded")
        await page.get_by_label("Show").select_option("with faults")
        await expect(page.locator(".batch-text")).to_have_count(1)
        await expect(page).to_have_url(f"{host.url}batches/{batch.id}?only=faulty")

        await page.get_by_role("link", name="Review").click()
        await reads(page, 1)
        await expect(page.locator(".review-text strong")).to_have_text("better")
        await page.keyboard.press("a")
        await reads(page, 2)
        await expect(page.locator(".settled")).to_have_text("Text 1 is approved.")
        await expect(page.locator(".batch-faults")).to_contain_text("the text is empty")
        await page.keyboard.press("e")
        words = page.get_by_label("The text as it should be")
        await words.fill("My words, and area")  # letters here are no commands
        await page.get_by_role("button", name="Save and approve").click()
        await reads(page, 4)
        await expect(page.locator(".review-text")).to_have_text("Fourth <b>text</b>")
        await page.keyboard.press("r")
        await reads(page, 5)
        await page.keyboard.press("w")
        await page.get_by_label("What should be different?").fill("Shorter")
        await page.get_by_role("button", name="Write again").click()
        await reads(page, 6)
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_text("No text is left here.")).to_be_visible()
        verdicts = [item.verdict for item in await batch.items()]
        assert verdicts[:2] == [TextVerdict.APPROVED, TextVerdict.APPROVED]
        assert verdicts[3] is TextVerdict.REJECTED
        again = await batch.item(5)
        assert (again.note, again.attempt) == ("Shorter", 2)


async def test_a_batch_goes_out_two_a_day_and_into_files_on_a_dark_phone(
    home: Path, browser: Browser
) -> None:
    async with (
        started_host(home, model=ScriptedModel()) as host,
        page_of(browser, host, base_url=host.url, **PHONE) as page,
    ):
        batch = await write_batch(host, *TEXTS)
        await page.goto(f"{host.url}batches/{batch.id}")
        await page.get_by_role("button", name="Approve all that passed").click()
        await expect(page.locator(".settled")).to_have_text("4 texts are approved.")
        await page.get_by_role("link", name="One a day").click()
        form = page.get_by_role("form", name="One a day")
        await form.get_by_label("Hours of each day").fill("noon")
        await form.get_by_role("button", name="Schedule").click()
        await expect(form.get_by_role("alert")).to_contain_text('"noon" is no time of day')
        await form.get_by_label("Hours of each day").fill("10:00, 18:00")
        await form.get_by_role("button", name="Schedule").click()
        await expect(page.locator(".settled")).to_have_text("4 texts are scheduled.")
        await expect(page.locator(".run-summary")).to_contain_text("4 texts wait")
        await page.get_by_role("button", name="Save as files").click()
        await expect(page.locator(".run-summary")).to_contain_text(f"groups/main/files/batches/{batch.id}")
        await page.goto(f"{host.url}tasks")
        await page.get_by_role("link", name="4 texts of batch").click()
        await expect(page.locator(".batch-text")).to_have_count(4)
        first = page.locator(".batch-text").first
        await first.locator("a[href^='/tasks/']").click()
        await page.get_by_role("link", name="Edit").click()
        await expect(page.get_by_label("What is to be done")).to_have_value(FIRST)
        width = await page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390


async def test_a_batch_is_started_from_topics_after_a_look_at_its_price(home: Path, browser: Browser) -> None:
    async with (
        started_host(home, model=ScriptedModel()) as host,
        page_of(browser, host, base_url=host.url) as page,
    ):
        await visit(page, "batches")
        await page.get_by_role("link", name="New batch").click()
        form = page.get_by_role("form", name="New batch")
        await form.get_by_label("What should be written?").fill("posts for Telegram")
        await form.get_by_label("Topics", exact=False).first.fill("Beans\nMilk\nBeans\n")
        await expect(form.get_by_role("status")).to_contain_text("2 texts:")
        await form.get_by_role("button", name="Start the batch").click()
        await expect(page.locator(".settled")).to_have_text("The batch has started.")
        await expect(page.get_by_role("heading", level=1)).to_have_text("2 × posts for Telegram")
