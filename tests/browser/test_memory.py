"""The pages of memory in a real browser: search, story, correct, forget, undo, quarantine, CLAUDE.md."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect
from tests.browsing import CHROMIUM, as_owner, page_of, visit

from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("G7", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]


async def add(page: Page, text: str, **more: object) -> Any:
    answer = await page.request.post("/api/memory", data={"text": text, **more}, headers=await as_owner(page))
    assert answer.ok, await answer.text()
    return (await answer.json())["entry"]


def card(page: Page, words: str) -> Locator:
    return page.get_by_role("group", name=words)


async def test_entries_are_found_corrected_forgotten_and_brought_back(browser: Browser, home: Path) -> None:
    async with (
        started_host(home, model=ScriptedModel("Twenty euros.")) as host,
        page_of(browser, host, base_url=host.url) as page,
    ):
        await page.locator(".bar").wait_for()
        old = await add(page, "The Glow plan costs EUR 20", topic="pricing")
        await add(page, "The founder keeps bees", kind="preference")
        await visit(page, "memory")
        main = page.get_by_role("main")
        await main.get_by_role("searchbox").fill("plans cost")
        await expect(card(page, "The founder keeps bees")).to_have_count(0)
        found = card(page, "The Glow plan costs EUR 20")
        await found.get_by_role("button", name="Correct").click()
        field = found.get_by_label("What is right")
        await expect(field).to_be_focused()
        await field.fill("The Glow plan costs EUR 22")
        await found.get_by_role("button", name="Save").click()
        await expect(main.get_by_text("Corrected.")).to_be_visible()
        newer = card(page, "The Glow plan costs EUR 22")
        await newer.get_by_role("link", name="The Glow plan costs EUR 22").click()
        await expect(main.get_by_role("heading", name="What it replaced")).to_be_visible()
        await expect(main.get_by_text('"supersedes"')).to_be_visible()
        await main.get_by_role("link", name="The Glow plan costs EUR 20").click()
        await expect(page).to_have_url(f"{host.url}memory/{old['id']}")
        await main.get_by_role("button", name="Undo the correction").click()
        await expect(main.get_by_text("It is back.")).to_be_visible()
        await main.get_by_role("button", name="Forget").click()
        await expect(main.get_by_text("Forgotten. You can bring it back.")).to_be_visible()
        await main.get_by_role("button", name="Bring back").click()
        await expect(main.get_by_role("button", name="Correct")).to_be_focused()
        # What was looked for is still there, and filters narrow it.
        await page.go_back()
        await page.go_back()
        await expect(main.get_by_role("searchbox")).to_have_value("plans cost")
        await main.get_by_role("searchbox").fill("")
        await main.get_by_text("Filters").click()
        await main.get_by_label("Kind").select_option("preference")
        await expect(card(page, "The founder keeps bees")).to_be_visible()
        await expect(card(page, "The Glow plan costs EUR 20")).to_have_count(0)
        await main.get_by_label("Trust").select_option("no")
        await expect(main.get_by_text("Nothing fits.")).to_be_visible()
        # What is remembered elsewhere appears by itself.
        await main.get_by_role("button", name="Clear filters").click()
        await add(page, "The beehives stand on the roof")
        await expect(card(page, "The beehives stand on the roof")).to_be_visible()
        # An answer names what it used.
        await visit(page, "chats")
        await page.locator("#text").fill("What does the Glow plan cost?")
        await page.keyboard.press("Enter")
        await expect(main.get_by_text("Twenty euros.", exact=True)).to_be_visible()
        await page.get_by_role("link", name="Why?").first.click()
        await main.locator(".memories").get_by_role("link", name=old["id"]).click()
        await expect(page).to_have_url(f"{host.url}memory/{old['id']}")
        await expect(main.get_by_text("What does the Glow plan cost?")).to_be_visible()


async def test_a_line_in_quarantine_is_mended_another_dropped_and_the_notes_are_read_on_a_phone(
    browser: Browser, home: Path
) -> None:
    facts = home / "companies/demo/memory/facts.jsonl"
    with facts.open("a", encoding="utf-8") as file:
        file.write('{"id": "fact_1", "fact": "The roof leaks\n{"fact": 5}\n')
    phone = {"viewport": {"width": 390, "height": 800}}
    async with (
        started_host(home, model=ScriptedModel()) as host,
        page_of(browser, host, base_url=host.url, **phone) as page,
    ):
        await visit(page, "memory")
        main = page.get_by_role("main")
        await main.get_by_role("link", name="Quarantine").click()
        broken = card(page, "The line is not JSON.")
        await broken.get_by_role("button", name="Mend and add").click()
        await broken.get_by_label("The line as it should be").fill("The roof leaks")
        await broken.get_by_role("button", name="Add").click()
        await expect(main.get_by_text("It is remembered.")).to_be_visible()
        await expect(broken).to_have_count(0)
        await main.get_by_role("button", name="Drop").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Drop").click()
        await expect(main.get_by_text("Nothing lies in quarantine.")).to_be_visible()
        await main.get_by_role("link", name="CLAUDE.md").click()
        await expect(main.get_by_role("heading", name="Key Decisions")).to_be_visible()
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide
        await main.get_by_role("link", name="Entries").click()
        await expect(card(page, "The roof leaks")).to_be_visible()
        await main.get_by_role("link", name="Add").click()
        await main.get_by_label("What is to be remembered").fill("We have an umbrella")
        await main.get_by_label("Kind").select_option("decision")
        await main.get_by_role("button", name="Add").click()
        await expect(card(page, "We have an umbrella").get_by_text("Decision", exact=True)).to_be_visible()
        # What the agents of a chat may do with it.
        await page.goto(f"{host.url}wirings")
        choice = card(page, "General").get_by_label("Memory")
        async with page.expect_response(lambda answer: answer.request.method == "PATCH"):
            await choice.select_option("read")
        await page.reload()
        await expect(choice).to_have_value("read")
