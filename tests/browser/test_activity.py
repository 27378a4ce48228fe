"""What an agent does, on the page in a real browser: its tools, its files, its connections, and how it is stopped."""

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect
from tests.browsing import CHROMIUM, page_of, visit
from tests.led_agent import PICTURE, LedAgent, host_of, send_file

from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.turns import (
    Connected,
    RuntimeEvent,
    Spent,
    TextDelta,
    ToolEnded,
    ToolPrinted,
    ToolStarted,
)
from nanoclaw.durable import connections, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.connections import Connection, ConnectionVerdict
from nanoclaw.durable.store import Tx
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

SPENDER = Spender(company="acme", group="main", session_id="s_1", turn_id="t_1", runtime="native")


def working(*, after: RuntimeEvent | None = None) -> list[RuntimeEvent | None]:
    """One tool is done, one waits while it runs."""
    script: list[RuntimeEvent | None] = [
        ToolStarted(id="1", name="read_file", shown="notes.txt"),
        ToolEnded(id="1", ok=True, text="milk and bread"),
        Connected(host="api.example.com", port=443, allowed=False),
        ToolStarted(id="2", name="bash", shown="make chart <b>"),
        ToolPrinted(id="2", text="drawing <i>line</i> 1\n"),
        Spent(model="demo", usage=Usage(input=1200, output=340), micros=12300),
        None,
        ToolEnded(id="2", ok=False, text="no paper"),
    ]
    return [*script, after] if after else script


async def write(page: Page, text: str) -> None:
    await page.locator("#text").fill(text)
    await page.keyboard.press("Enter")


def tool(page: Page, name: str) -> Locator:
    return page.locator(".tool", has=page.locator(".tool-name", has_text=name))


@pytest.mark.capability("A10")
async def test_tools_are_seen_while_they_run_and_fold_when_the_answer_is_there(
    home: Path, browser: Browser
) -> None:
    agent = LedAgent(working(after=TextDelta(text="There is no chart.")))
    async with host_of(home, agent) as host, page_of(browser, host) as page:
        await write(page, "make a chart")
        running = tool(page, "bash")
        await expect(running).to_have_attribute("data-state", "running")
        await expect(running.locator("code")).to_have_text("make chart <b>")
        await expect(running.locator("pre")).to_have_text("drawing <i>line</i> 1")
        await expect(running.locator("pre")).to_be_visible()
        await expect(tool(page, "read_file")).to_have_attribute("data-state", "done")
        await expect(tool(page, "network")).to_have_attribute("data-state", "failed")
        await expect(page.get_by_text("1.2K in, 340 out, $0.0123")).to_be_visible()
        await page.reload()  # who comes in the middle sees the same
        await expect(running.locator("pre")).to_be_visible()
        agent.go_on()
        answer = page.locator(".row", has_text="There is no chart.")
        folded = answer.get_by_text("2 tools, $0.0123")
        await expect(folded).to_be_visible()
        await expect(running).to_be_hidden()
        await folded.click()
        await expect(running).to_have_attribute("data-state", "failed")
        await expect(running.locator("pre")).to_be_hidden()
        await running.locator("summary").click()
        await expect(running.locator("pre")).to_have_text("no paper")
        await page.reload()  # afterwards the story is behind "Why?"
        await expect(answer).to_be_visible()
        await expect(page.locator(".activity")).to_have_count(0)


@pytest.mark.parametrize("way", ["button", "Escape"])
async def test_a_person_stops_the_agent(home: Path, browser: Browser, way: str) -> None:
    agent = LedAgent(working())
    async with host_of(home, agent) as host, page_of(browser, host) as page:
        await write(page, "make a chart")
        await expect(tool(page, "bash")).to_have_attribute("data-state", "running")
        button = page.get_by_role("button", name="Stop")
        await expect(button).to_be_enabled()
        sent = asyncio.Event()

        async def hold(route: Route) -> None:
            await sent.wait()
            await route.continue_()

        await page.route("**/messages", hold)
        if way == "button":
            await button.click()
        else:
            await page.locator("#text").press("Escape")
        await expect(button).to_be_disabled()
        await page.locator("#text").press("Escape")  # once is enough
        sent.set()
        question = page.locator(".row[data-author=person]", has_text="make a chart")
        await expect(question).to_have_attribute("data-state", "stopped")
        await expect(question.locator(".state")).to_have_text("stopped")
        await expect(page.get_by_role("button", name="Stop")).to_have_count(0)
        await question.get_by_text("2 tools").click()
        await expect(tool(page, "bash")).to_have_attribute("data-state", "cut")
        await expect(page.locator(".bubble", has_text="/stop")).to_have_count(1)


async def test_a_stop_that_could_not_be_sent_leaves_the_box_alone_and_can_be_sent_again(
    home: Path, browser: Browser
) -> None:
    agent = LedAgent(working(after=TextDelta(text="There is no chart.")))
    async with host_of(home, agent) as host, page_of(browser, host) as page:
        await write(page, "make a chart")
        await page.locator("#text").fill("half a sentence")
        await page.route("**/messages", lambda route: route.abort())
        await page.get_by_role("button", name="Stop").click()
        await expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
        await expect(page.locator("#text")).to_have_value("half a sentence")
        await expect(page.get_by_role("button", name="Stop")).to_be_enabled()
        agent.go_on()
        await expect(page.locator(".bubble", has_text="There is no chart.")).to_be_visible()


async def test_escape_sends_nothing_when_no_agent_works(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel("hi")) as host, page_of(browser, host) as page:
        await page.locator("#text").press("Escape")
        await write(page, "hello")
        await expect(page.locator(".bubble", has_text="hi")).to_be_visible()
        await expect(page.locator(".row")).to_have_count(2)


@pytest.mark.capability("A17")
async def test_a_picture_is_shown_and_other_files_are_links(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        room = await host.store.read(lambda tx: people.chats_of(tx, ("web",))[0][0].id)
        await send_file(host, room, "chart.png", "image/png", PICTURE, "The chart:")
        await send_file(host, room, "Звіт <b>.svg", "image/svg+xml", b"<svg/>" * 2000)
        picture = page.get_by_role("img", name="chart.png")
        await expect(picture).to_have_attribute("src", re.compile("^blob:"))
        assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 2
        link = page.get_by_role("link", name="Звіт <b>.svg")
        await expect(link).to_contain_text("12 kB")
        async with page.expect_download() as download:
            await link.click()
        assert (await download.value).suggested_filename.endswith(".svg")
        async with page.context.expect_page() as opened:
            await picture.click()
        shown = await opened.value
        await shown.wait_for_load_state()
        assert shown.url.startswith("blob:")
        assert await shown.locator("img").evaluate("image => image.naturalWidth") == 2


@pytest.mark.capability("A18")
@pytest.mark.parametrize("width", [390, 1200])
async def test_connections_are_on_their_page(home: Path, browser: Browser, width: int) -> None:
    size = {"viewport": {"width": width, "height": 800}}
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host, **size) as page:
        await visit(page, "connections")
        await expect(page.get_by_text("network = [")).to_be_visible()
        await visit(page, "chats")
        await host.store.write(many_connections)
        await visit(page, "connections")
        rows = page.locator(".connections tbody tr")
        await expect(rows).to_have_count(50)
        await expect(rows.first).to_contain_text("tracker.example.net:443")
        await expect(rows.first.locator(".judged")).to_have_text("not listed")
        await expect(rows.nth(1)).to_contain_text("main")
        await expect(rows.nth(1)).to_contain_text("35 kB")
        colours = [
            await rows.nth(n).locator(".judged").evaluate("cell => getComputedStyle(cell).color")
            for n in (0, 1)
        ]
        assert colours[0] != colours[1]
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        await page.get_by_role("button", name="Show earlier ones").click()
        await expect(rows).to_have_count(61)


def many_connections(tx: Tx) -> None:
    refused = Connection(at=now(), host="tracker.example.net", port=443, verdict=ConnectionVerdict.NOT_LISTED)
    for number in range(60):
        made = Connection(
            at=now(), host=f"api{number}.example.com", port=443, verdict=ConnectionVerdict.ALLOWED, sent=1000,
            received=34000, duration=0.42,
        )  # fmt: skip
        connections.note(tx, SPENDER, made)
    connections.note(tx, SPENDER, refused)
