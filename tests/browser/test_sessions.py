"""Interactive sessions on the page, in a real browser: the list, the chat, the terminal, the files, the conclusion."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect
from tests.browsing import CHROMIUM, page_of, visit
from tests.live_terminal_scene import Terminal, at_terminals, wanted
from tests.staging import until
from tests.terminal_scene import PlayedTerminals, played_page

from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("S4", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

RELEASE = {
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


LONG = "\n\n".join(f"Line {number}" for number in range(40))


class Stage:
    """A host whose agent a test leads, and a page on which every session has a played terminal."""

    def __init__(self, host: Host, model: ScriptedModel, url: str, terminals: PlayedTerminals) -> None:
        self.host, self.model, self.url, self.terminals = host, model, url, terminals
        self.token = host.token
        self._header = {"Authorization": f"Bearer {host.token}"}

    async def call(self, method: str, path: str, body: object = None) -> Any:
        async with httpx.AsyncClient(base_url=self.url, headers=self._header, timeout=30) as client:
            answer = await client.request(method, f"/api{path}", json=body)
            assert answer.status_code == 200, answer.text
            return answer.json()

    async def asked(self, prompt: str, **config: Any) -> str:
        """The id of a session that a program asks for."""
        found: str = (await self.call("POST", "/questions", {"question": prompt, "session": config}))["id"]
        return found

    async def response(self, session: str) -> Any:
        return (await self.call("GET", f"/sessions/{session}"))["question"]["response"]

    @asynccontextmanager
    async def page(self, browser: Browser, address: str = "", **options: Any) -> AsyncIterator[Page]:
        async with page_of(browser, self, **options) as page:
            await page.locator(".bar").wait_for()
            if address:
                await page.goto(f"{self.url}{address}")
            yield page


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    home = tmp_path_factory.mktemp("sessions") / "nanoclaw"
    model = ScriptedModel()
    async with started_host(home, model=model) as host:
        terminals = PlayedTerminals()
        async with played_page(host, terminals) as url:
            yield Stage(host, model, url, terminals)


def status(page: Page) -> Locator:
    return page.locator(".session-result .status")


async def test_a_person_talks_to_the_agent_sees_what_changed_and_approves(
    stage: Stage, browser: Browser
) -> None:
    files = stage.host.home / "groups" / "main" / "files"
    files.mkdir(exist_ok=True)
    (files / "auth.py").write_text("old = 1\nsame = 2\n")
    session = await stage.asked(
        "Review this **refactoring** and decide",
        outcomeSchema={"type": "approval"},
        context={"branch": "feature/x"},
        captureTranscript=True,
    )
    stage.model.script = LONG
    async with stage.page(browser, viewport={"width": 1280, "height": 600}) as page:
        await page.locator("#text").fill("Hello")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Line 39", exact=True)).to_be_in_viewport()
        await expect(page.locator(f"#timeline a[href$='/sessions/{session[-5:]}']")).to_have_count(1)
        stage.model.script = "I looked at `auth.py`."
        await visit(page, "inbox")
        await page.locator(".question", has_text="Review this").get_by_role("link", name="Open the").click()
        await expect(page.locator("h1")).to_have_text("Review this refactoring and decide")
        await expect(page.locator(".session-request strong")).to_have_text("refactoring")
        await page.get_by_role("button", name="Open the session here").click()
        await expect(page.locator("#timeline")).to_contain_text("I looked at auth.py.")
        await page.set_viewport_size({"width": 390, "height": 600})
        await expect(page.locator(".session-page").get_by_role("link", name="Conclude")).to_be_visible()
        await page.set_viewport_size({"width": 1280, "height": 600})
        assert "feature/x" in stage.model.asked[-1].prompt

        (files / "auth.py").write_text("new = 1\nsame = 2\n")
        stage.model.script = f"I changed it.\n\n{LONG}"
        await page.locator("#text").fill("Please approve nothing yet, rename it")
        await page.keyboard.press("Enter")
        await expect(page.locator("#timeline")).to_contain_text("I changed it.")
        await expect(
            page.get_by_text("Line 39", exact=True)
        ).to_be_in_viewport()  # although another room was open before
        await expect(page.locator(".conclusion")).to_be_visible()  # what is said there ends nothing
        await page.locator(".tabs a", has_text="Files").click()
        await expect(page.locator(".changed-file", has_text="auth.py").locator(".added")).to_have_text(
            ["+++ b/auth.py", "+new = 1"]
        )
        await page.locator(".conclusion textarea").fill("чудово")
        await page.get_by_role("button", name="Approve").click()
        await expect(status(page)).to_have_text("decided")
        await expect(page.locator(".session-result")).to_contain_text("Approved")
        await expect(page.locator(".session-result")).to_contain_text("чудово")
        await expect(page.locator(".session-result .facts")).to_contain_text("Decided by")
        await page.locator(".tabs a", has_text="Chat").click()
        await expect(page.locator(".session-over")).to_be_visible()
        await expect(page.locator("#text")).to_have_count(0)
        await page.get_by_role("link", name="Back").click()
        row = page.locator(".decision", has_text="Review this")
        await expect(row).to_contain_text("Approved")
        assert await stage.response(session) == "approved"
        await visit(page, "chats")
        await expect(page.locator("#rooms")).not_to_contain_text("Review this")


async def test_a_form_made_of_the_schema_says_beside_each_field_what_is_wrong(
    stage: Stage, browser: Browser
) -> None:
    session = await stage.asked(
        "Describe the release", outcomeSchema={"type": "structured", "jsonSchema": RELEASE}
    )
    async with stage.page(browser, f"sessions/{session}") as page:
        await page.get_by_role("button", name="Conclude").click()
        wrong = page.locator(".schema-field", has_text="Verdict").locator(".problem")
        await expect(wrong).to_have_text("Fill this in.")
        await page.get_by_label("Verdict *").select_option("ship")
        await page.get_by_label("Title *").fill("bad")
        await page.get_by_label("Days").fill("0")
        await page.get_by_role("button", name="Conclude").click()
        await expect(page.get_by_label("Days")).to_have_attribute("aria-invalid", "true")
        await page.get_by_label("Days").fill("3")
        assert (await stage.call("GET", f"/sessions/{session}"))["live"]["attempts"] == 0  # not sent yet

        await page.get_by_role("button", name="Conclude").click()
        await expect(page.get_by_label("Title *")).to_have_attribute("aria-invalid", "true")
        await expect(page.locator(".conclusion")).to_contain_text("Attempts left: 2")
        await page.get_by_label("Title *").fill("Осінній реліз")
        await page.get_by_label("Names").fill("Olha\n\nIvan\n")
        await page.get_by_role("button", name="Write it as JSON").click()
        written = page.get_by_label("The conclusion as JSON")
        await expect(written).to_have_value(re.compile('"days": 3'))
        await written.fill("{")
        await page.get_by_role("button", name="Conclude").click()
        await expect(page.locator(".conclusion")).to_contain_text("is not JSON yet")
        whole = '{"verdict": "ship", "title": "Осінній реліз", "days": 3, "names": ["Olha", "Ivan"]}'
        await written.fill(whole)
        await page.get_by_role("button", name="Back to the form").click()
        await expect(page.get_by_label("Names")).to_have_value("Olha\nIvan")
        await page.get_by_label("Risky").check()
        await page.get_by_role("button", name="Conclude").click()
        await expect(status(page)).to_have_text("decided")
    assert await stage.response(session) == {
        "verdict": "ship",
        "title": "Осінній реліз",
        "days": 3,
        "risky": True,
        "names": ["Olha", "Ivan"],
    }


async def test_what_was_said_fills_in_the_form_and_a_session_can_be_taken_back(
    stage: Stage, browser: Browser
) -> None:
    choice = await stage.asked(
        "Pick a database", outcomeSchema={"type": "selection", "options": ["SQLite", "PostgreSQL"]}
    )
    text = await stage.asked("Name the release", outcomeSchema={"type": "freeform"})
    await stage.call("POST", f"/questions/{text}/decide", {"text": "Nova"})
    async with stage.page(browser, f"sessions/{choice}", viewport={"width": 390, "height": 800}) as page:
        await expect(page.get_by_role("radio", name="PostgreSQL")).not_to_be_checked()
        await stage.call(
            "POST", f"/questions/{choice}/decide", {"text": "PostgreSQL"}
        )  # while the form is open
        await expect(page.locator(".session-said")).to_contain_text("PostgreSQL")
        await expect(page.get_by_role("radio", name="PostgreSQL")).to_be_checked()
        await page.get_by_role("radio", name="SQLite").check()
        await page.get_by_role("button", name="Conclude").click()
        await expect(page.locator(".session-result")).to_contain_text("SQLite")
        await page.goto(f"{stage.url}sessions/{text}")
        await expect(page.locator(".conclusion textarea")).to_have_value("Nova")
        await page.get_by_role("button", name="Take back").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Take back").click()
        await expect(status(page)).to_have_text("taken back")
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390
    assert await stage.response(choice) == "SQLite"


# The terminal


def screen(page: Page) -> Locator:
    return page.locator(".xterm-rows")


def terminal(page: Page, state: str) -> Locator:
    return page.locator(f".session-terminal[data-state={state}]")


async def test_a_terminal_takes_keys_and_comes_back_when_the_line_was_cut(
    stage: Stage, browser: Browser
) -> None:
    session = await stage.asked("Look around")
    played = stage.terminals
    async with stage.page(browser, f"sessions/{session}", viewport={"width": 1280, "height": 800}) as page:
        await page.locator(".tabs a", has_text="Terminal").click()
        await expect(terminal(page, "typing")).to_be_visible()
        await expect(screen(page)).to_contain_text("Welcome")
        await page.keyboard.type("ls -l")
        await page.keyboard.press("Enter")
        await expect(screen(page)).to_contain_text("you said ls -l")
        await page.keyboard.type("привіт")
        await page.keyboard.press("Control+C")
        await expect(screen(page)).to_contain_text("^C")
        assert b"\x03" in played.typed
        pasted = "вставлено 🐾 " + "x" * 100_000
        await page.locator(".xterm-helper-textarea").evaluate(
            """(box, text) => {
                const data = new DataTransfer();
                data.setData("text/plain", text);
                box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
            }""",
            pasted,
        )
        await until(lambda: pasted.encode() in played.typed)
        await page.keyboard.press("Control+C")

        before = played.sizes[-1]
        await page.set_viewport_size({"width": 1000, "height": 600})
        await until(lambda: played.sizes[-1][0] < before[0])

        played.show(b"\x1b[c")  # what are you?
        await until(lambda: played.typed.count(b"\x1b[?") == 1)
        [old] = played.attached
        old.break_off()
        await until(lambda: played.attached not in ([], [old]))
        await expect(terminal(page, "typing")).to_be_visible()
        await page.keyboard.type("again")
        await page.keyboard.press("Enter")
        await expect(screen(page)).to_contain_text("you said again")
        assert played.typed.count(b"\x1b[?") == 1  # what is shown again is not answered again

        async with stage.page(browser, f"sessions/{session}/terminal") as second:
            await expect(terminal(second, "watching")).to_be_visible()
            await expect(second.locator(".terminal-state")).to_contain_text("Somebody else is typing")
            await expect(screen(second)).to_contain_text("you said again")
            await second.locator(".xterm-helper-textarea").focus()
            await second.keyboard.type("not mine")
            await page.goto(f"{stage.url}sessions")  # the first one leaves
            await expect(terminal(second, "typing")).to_be_visible()
            await expect(second.locator(".terminal-state")).to_be_empty()
            assert b"not mine" not in played.typed
            await second.keyboard.type("exit")
            await second.keyboard.press("Enter")
            await expect(second.locator(".terminal-over")).to_contain_text("The agent has left.")
            await second.get_by_role("button", name="Open the terminal again").click()
            await expect(terminal(second, "typing")).to_be_visible()


async def test_the_terminal_is_the_real_claude_code_until_the_session_is_concluded(
    browser: Browser, tmp_path: Path
) -> None:
    home = tmp_path / "nanoclaw"
    home.mkdir()
    async with at_terminals(home, lambda _asked: "Looked at it.") as claude:
        asked = await wanted(claude, "Review the teal plan", outcomeSchema={"type": "approval"})
        address = f"{claude.host.url}sessions/{asked.question.id}/terminal"
        async with page_of(browser, claude.host, viewport={"width": 1280, "height": 800}) as page:
            await page.locator(".bar").wait_for()
            await page.goto(address)
            await expect(screen(page)).to_contain_text("Review the teal plan")
            await expect(screen(page)).to_contain_text("Looked at it.")
            await page.keyboard.type("і що далі?")
            await page.keyboard.press("Enter")
            await until(lambda: "і що далі?" in str(claude.server.asked[-1].messages))
            await page.get_by_role("button", name="Approve").click()
            await expect(status(page)).to_have_text("decided")
            await expect(page.locator(".session-terminal")).to_have_count(0)
            await until(lambda: is_over(asked))


async def is_over(asked: Terminal) -> bool:
    live = await asked.live()
    return live.ended_at is not None and live.host is None
