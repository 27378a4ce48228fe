"""What every test of the page may ask for: a real browser."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect
from tests.browsing import CHROMIUM

expect.set_options(timeout=60_000)  # other tests run beside these, on few cores


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One for all: its start takes longer than most of these tests, and `page_of` makes nothing common."""
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*quiet, "--disable-sync"])
        yield browser
        await browser.close()
