"""A page of the host in a real browser."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from playwright.async_api import Browser, Page

# The same engine as the whole browser, without its windows: pages open in half the time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")


class Opened(Protocol):
    """What the printed link is made of."""

    @property
    def url(self) -> str: ...
    @property
    def token(self) -> str: ...


@asynccontextmanager
async def page_of(browser: Browser, host: Opened, **options: object) -> AsyncIterator[Page]:
    """A browser of its own that came in by the printed link. An error in its scripts fails the test."""
    context = await browser.new_context(**options)  # type: ignore[arg-type]
    context.set_default_timeout(60_000)  # as for `expect`: other tests run beside these, on few cores
    page = await context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if "Content Security" in line.text else None)
    await page.goto(f"{host.url}?token={host.token}")
    yield page
    await context.close()
    assert faults == []


async def visit(page: Page, section: str) -> None:
    """To a page by the bar; on a phone some of them are behind "More"."""
    await page.locator(".bar").wait_for()
    if page.url.endswith(f"/{section}"):
        return
    link = page.locator(f".bar [data-section={section}] a")
    if not await link.is_visible():
        await page.locator(".bar a[href='/more']").click()
        link = page.locator(f".links a[href='/{section}']")
    await link.click()


async def as_owner(page: Page) -> dict[str, str]:
    """What a request beside the page needs to have its right."""
    token = await page.evaluate("localStorage.getItem('nanoclaw-token')")
    return {"Authorization": f"Bearer {token}"}
