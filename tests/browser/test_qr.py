"""The QR code of the page, read by another program from what stands on the screen."""

import base64
from pathlib import Path

import pytest
import zxingcpp
from playwright.async_api import Browser, Locator, Page, expect
from tests.browsing import CHROMIUM, as_owner, page_of, visit

from nanoclaw.testing import TelegramServer, started_host

pytestmark = [
    pytest.mark.capability("O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

TEXTS = [
    "qm_napmxyxuc",
    "https://t.me/wpkgtynucwgq?start=ABCD2345",
    "https://t.me/xnpmnexfeacgvgdqrwfqfeufbktms_sd?start=ABCD2345",
    "Привіт, світе! Ґ",
    "x" * 500,
]
GREYS = """async data => {
    const drawn = await createImageBitmap(await (await fetch(data)).blob());
    const pen = new OffscreenCanvas(drawn.width, drawn.height).getContext("2d");
    pen.drawImage(drawn, 0, 0);
    const { data: dots } = pen.getImageData(0, 0, drawn.width, drawn.height);
    const greys = Array.from({ length: dots.length / 4 }, (_, at) => String.fromCharCode(dots[at * 4 + 1]));
    return [drawn.width, drawn.height, btoa(greys.join(""))];
}"""


async def read(seen: Locator, blank: Page) -> list[str]:
    """What a camera would find in it."""
    picture = base64.b64encode(await seen.screenshot()).decode()
    width, height, greys = await blank.evaluate(GREYS, f"data:image/png;base64,{picture}")
    dots = memoryview(base64.b64decode(greys)).cast("B", shape=[height, width])
    return [found.text for found in zxingcpp.read_barcodes(dots)]


async def test_the_code_on_the_page_can_be_read_and_holds_the_link(home: Path, browser: Browser) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    async with (
        TelegramServer() as server,
        started_host(home, telegram={"api_base": server.url}) as host,
        page_of(browser, host, **phone) as page,
    ):
        blank = await page.context.new_page()
        await visit(page, "bots")
        for name in ("helper_bot", "a_bot_with_the_longest_name_bot"):
            await page.get_by_label("Token of the bot").fill(server.add_bot(name).token)
            await page.get_by_label("Token of the bot").press("Enter")
            shown = page.locator(".bot", has_text=f"@{name}").locator(".pairing")
            code = shown.get_by_role("img", name="QR code")
            await expect(code).to_have_js_property("complete", value=True)
            await code.scroll_into_view_if_needed()
            link = await shown.get_by_role("link").get_attribute("href")
            assert link is not None
            assert link.startswith(f"https://t.me/{name}?start=")
            assert await read(code, blank) == [link]


async def test_texts_of_any_length_are_drawn_up_to_the_most_that_is_allowed(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        blank = await page.context.new_page()
        owner = await as_owner(page)
        for text in TEXTS:
            drawn = await page.request.post(f"{host.url}api/qr", headers=owner, data={"text": text})
            assert drawn.headers["content-type"] == "image/svg+xml"
            await blank.set_content(await drawn.text())
            assert await read(blank.locator("svg"), blank) == [text]
        for wrong in ("", "x" * 501):
            drawn = await page.request.post(f"{host.url}api/qr", headers=owner, data={"text": wrong})
            assert drawn.status == 400
        assert (await page.request.post(f"{host.url}api/qr", data={"text": "x"})).status == 401
