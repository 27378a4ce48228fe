"""The order of a conversation in a real browser: every answer stands under its question, from its first moment on."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browsing import CHROMIUM, page_of

from nanoclaw.domain.turns import TurnRequest
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("O3", "A10"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

# What the person saw after each change of the screen, also when it was there for a moment only.
REMEMBER = """
() => {
  window.seen = [];
  const list = document.getElementById("timeline");
  new MutationObserver(() => {
    window.seen.push([...list.querySelectorAll(".row")].map((row) => row.dataset.author).join(" "));
  }).observe(list, { childList: true, subtree: true, characterData: true });
}
"""


async def write(page: Page, *lines: str) -> None:
    for text in lines:
        await page.locator("#text").fill(text)
        await page.keyboard.press("Enter")


async def expect_lines(page: Page, *lines: str) -> None:
    """What the bubbles say, from the top."""
    await expect(page.locator(".row .bubble")).to_have_text(list(lines))


class Halves:
    """Answers that wait for `go_on` before their first half, and again before the second."""

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model
        self._waiting = asyncio.Semaphore(0)
        model.script = self._script

    def _script(self, _: TurnRequest) -> Iterator[str]:
        for half in (f"answer {len(self._model.asked)}", ", whole"):
            self._model.hold()
            self._waiting.release()
            yield half

    async def go_on(self) -> None:
        await self._waiting.acquire()
        self._model.go_on()


@pytest.mark.parametrize("room", ["fresh", "lived in"])
async def test_an_answer_is_under_its_question_from_its_first_moment_to_the_last(
    home: Path, browser: Browser, room: str
) -> None:
    model = ScriptedModel("answer 1")
    async with (
        started_host(home, model=model) as host,
        page_of(browser, host) as writer,
        page_of(browser, host) as reader,
    ):
        before = ["earlier", "answer 1"] if room == "lived in" else []
        if before:
            await write(writer, "earlier")
        for page in (writer, reader):
            await expect_lines(page, *before)
            await page.evaluate(REMEMBER)
        agent, answered = Halves(model), f"answer {len(model.asked) + 1}"
        await write(writer, "question")
        for page in (writer, reader):
            await expect(page.locator(".row[data-author=agent][data-state=running]")).to_be_visible()
            await expect_lines(page, *before, "question", "")
        await agent.go_on()
        for page in (writer, reader):
            await expect_lines(page, *before, "question", answered)
        await agent.go_on()
        for page in (writer, reader):
            answer = page.locator(".row[data-author=agent]").last
            await expect(answer).to_have_attribute("data-state", "delivered")
            await expect_lines(page, *before, "question", f"{answered}, whole")
            await expect(answer.locator(".quote")).to_be_empty()
        known = "person agent" if before else ""
        right = {known, f"{known} person".strip(), f"{known} person agent".strip()}
        assert set(await writer.evaluate("window.seen")) <= right
        await writer.reload()
        await expect_lines(writer, *before, "question", f"{answered}, whole")


async def test_two_questions_in_a_row_have_each_its_answer_under_it(home: Path, browser: Browser) -> None:
    model = ScriptedModel()
    agent = Halves(model)
    async with (
        started_host(home, model=model) as host,
        page_of(browser, host) as writer,
        page_of(browser, host) as reader,
    ):
        await write(writer, "one", "two")
        for page in (writer, reader):
            await expect_lines(page, "one", "", "two")
        await agent.go_on()
        for page in (writer, reader):
            await expect_lines(page, "one", "answer 1", "two")
        await agent.go_on()
        for page in (writer, reader):
            await expect_lines(page, "one", "answer 1, whole", "two", "")
        await agent.go_on()
        for page in (writer, reader):
            await expect_lines(page, "one", "answer 1, whole", "two", "answer 2")
        await agent.go_on()
        for page in (writer, reader):
            await expect_lines(page, "one", "answer 1, whole", "two", "answer 2, whole")
            await expect(page.locator(".row[data-state=delivered]")).to_have_count(2)
            await expect_lines(page, "one", "answer 1, whole", "two", "answer 2, whole")
