"""The order of a conversation in a real browser: what is heard live stands where a reload would show it.

An answer is under its question from its first moment on, and below whatever came while it grew.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browsing import CHROMIUM, page_of
from tests.led_agent import LedAgent, host_of, send_file

from nanoclaw.domain.turns import TextDelta, TurnRequest
from nanoclaw.durable import people
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

# Who says each line, and which line it is; an answer that is being written has no id yet.
ORDER = "() => [...document.querySelectorAll('.row')].map(({ dataset }) => `${dataset.author} ${dataset.id}`)"


async def write(page: Page, *lines: str) -> None:
    for text in lines:
        await page.locator("#text").fill(text)
        await page.keyboard.press("Enter")


async def expect_lines(page: Page, *lines: str) -> None:
    """What the bubbles say, from the top, once the page has its conversation."""
    await expect(page.locator("#timeline")).to_be_attached()
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


async def test_two_questions_in_a_row_are_answered_below_and_say_which_is_meant(
    home: Path, browser: Browser
) -> None:
    model = ScriptedModel()
    agent = Halves(model)
    async with (
        started_host(home, model=model) as host,
        page_of(browser, host) as writer,
        page_of(browser, host) as reader,
    ):
        await write(writer, "one", "two")
        for page in (writer, reader):
            await expect_lines(page, "one", "two", "")
        await agent.go_on()
        for page in (writer, reader):
            await expect_lines(page, "one", "two", "answer 1")
            await expect(page.locator(".quote")).to_have_text(["", "", "one"])
        await agent.go_on()
        for page in (writer, reader):
            await expect_lines(page, "one", "two", "answer 1, whole", "")
        await agent.go_on()
        for page in (writer, reader):
            await expect_lines(page, "one", "two", "answer 1, whole", "answer 2")
        await agent.go_on()
        for page in (writer, reader):
            await expect(page.locator(".row[data-state=delivered]")).to_have_count(2)
            await expect_lines(page, "one", "two", "answer 1, whole", "answer 2, whole")
            await expect(page.locator(".quote")).to_have_text(["", "", "one", "two"])
        live = await writer.evaluate(ORDER)
        await writer.reload()
        await expect_lines(writer, "one", "two", "answer 1, whole", "answer 2, whole")
        assert await writer.evaluate(ORDER) == live


@pytest.mark.capability("E3")
@pytest.mark.parametrize("words", ["", "Kharkiv"], ids=["pressed", "written"])
async def test_an_answer_that_waits_for_a_person_stands_below_the_card_and_the_decision(
    home: Path, browser: Browser, words: str
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await write(page, "? Which name..." if words else "? Deploy? | yes | no")
        rows, waits = page.locator(".row"), page.locator(".row[data-author=agent]:not([data-id^=o])")
        for _ in ("live", "after a reload"):
            await expect(rows).to_have_count(3)
            await expect(rows.nth(1).locator(".bubble")).to_contain_text("name" if words else "Deploy?")
            await expect(rows.nth(2).and_(waits)).to_be_visible()
            await expect(waits.locator("time")).to_be_hidden()  # nobody knows it before the answer is there
            await page.reload()
        await expect(waits).to_be_visible()
        if words:
            await write(page, words)
        else:
            await page.get_by_role("button", name="yes").click()
        answer = page.locator(".row[data-author=agent][data-id^=o]")
        await expect(answer).to_be_visible()
        await expect(answer.locator("time")).to_be_visible()
        await expect(rows).to_have_count(4 if words else 3)
        live = await page.evaluate(ORDER)
        assert [line.split()[0] for line in live] == ["person", "host", *["person"] * bool(words), "agent"]
        await expect(page.locator("#to-end")).to_be_hidden()
        await page.reload()
        await expect(answer).to_be_visible()
        assert await page.evaluate(ORDER) == live


@pytest.mark.parametrize("reads", ["its middle", "its end"])
async def test_a_line_that_comes_above_a_long_answer_does_not_move_what_is_read(
    home: Path, browser: Browser, reads: str
) -> None:
    long = "\n\n".join(f"paragraph {number}" for number in range(60))
    agent = LedAgent([TextDelta(text=long), None, TextDelta(text=" ends")])
    async with host_of(home, agent) as host, page_of(browser, host, reduced_motion="reduce") as page:
        await write(page, "tell me all")
        rows, to_end = page.locator(".row"), page.locator("#to-end")
        middle, end = page.locator(".bubble p", has_text="paragraph 20"), rows.last.locator(".meta")
        await expect(page.locator(".bubble p", has_text="paragraph 59")).to_be_visible()
        await expect(end).to_be_in_viewport(ratio=1)
        if reads == "its middle":
            await middle.evaluate("paragraph => paragraph.scrollIntoView({ block: 'center' })")
            await expect(to_end).to_be_visible()
        before = await middle.bounding_box()
        room = await host.store.read(lambda tx: people.chats_of(tx, ("web",))[0][0].id)
        await send_file(host, room, "notes.txt", "text/plain", b"milk", "Meanwhile, a file:")
        await expect(rows).to_have_count(3)
        await expect(rows.nth(1)).to_contain_text("Meanwhile, a file:")
        agent.go_on()
        await expect(rows.nth(2)).to_have_attribute("data-state", "delivered")
        if reads == "its end":
            await expect(end).to_be_in_viewport(ratio=1)
            await expect(to_end).to_be_hidden()
        else:
            after = await middle.bounding_box()
            assert before
            assert after
            assert after["y"] == pytest.approx(before["y"], abs=2)  # browsers scroll by whole dots
