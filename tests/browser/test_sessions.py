"""Interactive sessions on the page: the list, the chat, the terminal, the files, and the conclusion, in a real browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from tests.browsing import page_of, visit
from tests.terminal_scene import PlayedTerminals, played_page

from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.capability("S4", "S5", "O1")]

REVIEW = {
    "type": "object",
    "properties": {
        "verdict": {"enum": ["ship", "wait"], "title": "Verdict"},
        "title": {"type": "string", "title": "Title", "not": {"const": "bad"}},
        "days": {"type": "integer", "minimum": 1, "title": "Days"},
        "risky": {"type": "boolean", "title": "Risky"},
        "names": {"type": "array", "items": {"type": "string"}, "title": "Names"},
    },
    "required": ["verdict", "title"],
}


class Stage:
    """A host whose agent a test leads, and a page on which every session has a played terminal."""

    def __init__(self, host: Host, model: ScriptedModel, url: str, terminals: PlayedTerminals) -> None:
        self.host, self.model, self.url, self.terminals = host, model, url, terminals
        self.token = host.token

    async def asked(self, prompt: str, **config: Any) -> str:
        """The id of a session that a program asks for."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx.AsyncClient(base_url=self.url, headers=headers) as client:
            answer = await client.post("/api/questions", json={"question": prompt, "session": config})
            assert answer.status_code == 200, answer.text
            found: str = answer.json()["id"]
            return found

    @asynccontextmanager
    async def page(self, browser: Browser, session: str = "", **options: Any) -> AsyncIterator[Page]:
        async with page_of(browser, self, **options) as page:  # type: ignore[arg-type]
            await page.locator(".bar").wait_for()
            if session:
                await page.goto(f"{self.url}sessions/{session}")
            yield page


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    home = tmp_path_factory.mktemp("sessions") / "nanoclaw"
    model = ScriptedModel()
    async with started_host(home, model=model) as host:
        terminals = PlayedTerminals()
        async with played_page(host, terminals) as url:
            yield Stage(host, model, url, terminals)


async def test_look(stage: Stage, browser: Browser, tmp_path: Path) -> None:
    one = await stage.asked(
        "Review this **refactoring** and decide",
        outcomeSchema={"type": "approval"},
        context={"branch": "feature/x", "files": 12},
    )
    two = await stage.asked(
        "Describe the release", outcomeSchema={"type": "structured", "jsonSchema": REVIEW}
    )
    three = await stage.asked(
        "Pick a database", outcomeSchema={"type": "selection", "options": ["SQLite", "PostgreSQL"]}
    )
    async with stage.page(browser, viewport={"width": 1280, "height": 800}) as page:
        await visit(page, "sessions")
        await expect(page.locator(".session-card")).to_have_count(3)
        await page.screenshot(path="/tmp/shots/list.png")
        await page.goto(f"{stage.url}sessions/{two}")
        await expect(page.locator(".conclusion")).to_be_visible()
        await page.screenshot(path="/tmp/shots/form.png")
        await page.goto(f"{stage.url}sessions/{one}/terminal")
        await expect(page.locator(".terminal[data-state=typing]")).to_be_visible()
        await expect(page.locator(".xterm-rows")).to_contain_text("Welcome")
        await page.keyboard.type("привіт 🐾 \x1b[1m")
        await page.screenshot(path="/tmp/shots/terminal.png")
    async with stage.page(browser, viewport={"width": 390, "height": 800}, color_scheme="dark") as page:
        await visit(page, "sessions")
        await expect(page.locator(".session-card")).to_have_count(3)
        await page.screenshot(path="/tmp/shots/phone-list.png")
        await page.goto(f"{stage.url}sessions/{two}")
        await expect(page.locator(".conclusion")).to_be_visible()
        await page.screenshot(path="/tmp/shots/phone-form.png")
        await page.goto(f"{stage.url}sessions/{one}/terminal")
        await expect(page.locator(".xterm-rows")).to_contain_text("Welcome")
        await page.screenshot(path="/tmp/shots/phone-terminal.png")
        await page.goto(f"{stage.url}sessions/{one}/chat")
        await expect(page.locator(".session-empty")).to_be_visible()
        await page.screenshot(path="/tmp/shots/phone-chat.png")
