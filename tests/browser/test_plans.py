"""Plans on the page, in a real browser: the twelve cases as a person meets them there, with the demo agent."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, expect
from tests.browsing import CHROMIUM, page_of

from nanoclaw.domain.turns import TurnRequest
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("Q1", "Q4", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

TASK = "add JWT authentication"
SIGNAL = json.dumps(
    {"interactive": True, "questions": [{"question": "Where does it fail?", "options": ["Here", "There"]}]}
)


def bubble(page: Page, text: str) -> Locator:
    return page.locator(".bubble", has_text=text)


async def write(page: Page, text: str) -> None:
    await page.locator("#text").fill(text)
    await page.keyboard.press("Enter")


async def press(page: Page, label: str) -> None:
    await page.get_by_role("button", name=label).click()


async def test_a_plan_is_answered_with_buttons_and_words_edited_and_confirmed(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await write(page, "/plan")  # TC12
        await expect(bubble(page, "Usage: /plan <task description>")).to_be_visible()
        await write(page, f"/plan {TASK}")  # TC01
        card = page.locator(".row", has=bubble(page, f"Planning: {TASK}"))
        await expect(card).to_contain_text("Q1 of 3")
        await expect(card.get_by_role("button")).to_have_text(
            ["Express", "Fastify", "Hono", "✍️ Type your own", "← Back", "✖ Cancel"]
        )
        await press(page, "Fastify")  # TC02: the same message asks the next question
        await expect(card).to_contain_text("Q2 of 3")
        await expect(page.get_by_role("button", name="Fastify")).to_have_count(0)
        await expect(card.locator(".choices")).to_be_focused()
        await write(page, "something")  # TC04
        await expect(bubble(page, "Please use the buttons to answer ☝️")).to_be_visible()
        await press(page, "Back")  # TC05
        await expect(card).to_contain_text("Q1 of 3")
        await press(page, "Type your own")  # TC03
        await expect(page.locator("#text")).to_be_focused()
        await page.keyboard.type("Django")
        await page.keyboard.press("Enter")
        await expect(bubble(page, "✅ Django")).to_be_visible()
        for label in ("Local storage", "Sessions", "A strict CSP", "Yes, 7-day expiry"):
            await press(page, label)
        ready = bubble(page, "Plan Ready")
        await expect(ready).to_contain_text("What framework are you using? → Django")
        await press(page, "Edit Answers")  # TC06
        await expect(page.get_by_role("button", name="Q5 · Refresh tokens?")).to_be_visible()
        await press(page, "Q2 ·")
        # Another answer discards the round that followed from the old one.
        await press(page, "HttpOnly cookies")
        await expect(bubble(page, "A cookie is sent by itself.")).to_be_visible()
        await press(page, "SameSite=Strict")
        await press(page, "Yes, 7-day expiry")
        await expect(ready).to_contain_text("→ HttpOnly cookies")
        await press(page, "Confirm & Start")  # TC07
        await expect(bubble(page, "🚀 Starting...")).to_be_visible()
        await expect(bubble(page, "The plan is settled.")).to_contain_text("A: SameSite=Strict")
        (plan,) = (home / "groups" / "main" / "files" / ".claude" / "todos").rglob("*.md")
        assert "HttpOnly cookies" in plan.read_text("utf-8")
        await expect(page.locator(".choices button")).to_have_count(0)


@pytest.mark.capability("Q2")
async def test_a_plan_goes_on_after_a_restart_apart_from_that_of_another_room(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await write(page, f"/plan {TASK}")
        await press(page, "Express")
        await expect(bubble(page, "Q2 of 3")).to_be_visible()
        await page.get_by_role("link", name="Terminal").click()
        await expect(page.get_by_role("heading", name="Terminal")).to_be_visible()
        await write(page, "/plan пофарбувати офіс")  # TC09, as far as one person can
        await expect(bubble(page, "Для кого це?")).to_be_visible()
    async with started_host(home) as host, page_of(browser, host) as page:
        await expect(bubble(page, "Q2 of 3")).to_be_visible()  # TC08
        await press(page, "Memory only")
        await expect(bubble(page, "Q3 of 3")).to_be_visible()
        await press(page, "Cancel")  # TC10
        await expect(bubble(page, "❌ Planning cancelled.")).to_be_visible()
        await write(page, "hello")
        await expect(bubble(page, "I am the demo agent")).to_be_visible()
        await page.get_by_role("link", name="Terminal").click()
        await expect(page.get_by_role("heading", name="Terminal")).to_be_visible()
        await expect(bubble(page, "Для кого це?")).to_be_visible()
        await press(page, "Для колег")
        await expect(bubble(page, "Коли це потрібно?")).to_be_visible()


async def test_tc11_the_questions_of_an_agent_are_a_card_and_its_json_is_never_on_the_page(
    home: Path, browser: Browser
) -> None:
    model, half_was_written = ScriptedModel(), asyncio.Event()

    def pieces(_request: TurnRequest) -> Iterator[str]:
        yield "Let me ask first.\n\n"
        model.hold()
        yield SIGNAL[:70]
        model.hold()
        half_was_written.set()
        yield SIGNAL[70:]

    model.script = pieces
    seen = """window.seen = []; new MutationObserver(() => window.seen.push(document.body.innerText))
        .observe(document.body, {subtree: true, childList: true, characterData: true})"""
    async with started_host(home, model=model) as host, page_of(browser, host) as page:
        await page.evaluate(seen)
        await write(page, "I need to fix the auth bug")
        await expect(bubble(page, "Let me ask first.")).to_be_visible()
        model.go_on()
        await half_was_written.wait()
        await write(page, "/plan")  # what the page hears after that half proves that it heard of it
        await expect(bubble(page, "Usage: /plan")).to_be_visible()
        model.go_on()
        await expect(bubble(page, "Where does it fail?")).to_be_visible()
        await expect(page.get_by_role("button", name="There")).to_be_visible()
        texts = await page.evaluate("window.seen")
        assert any("Let me ask first." in text for text in texts)
        assert [text for text in texts if "interactive" in text or '"question' in text] == []
        await page.reload()
        await expect(bubble(page, "Let me ask first.")).to_have_text("Let me ask first.")
