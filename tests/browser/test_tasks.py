"""The pages of tasks in a real browser: tasks are scheduled, changed, run and handed over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect
from tests.browsing import CHROMIUM, as_owner, page_of, visit

from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import budgets, tasks, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, made_workspace, started_host

pytestmark = [
    pytest.mark.capability("F1", "F2", "F3", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

BRITISH = {"locale": "en-GB"}  # a clock of 24 hours, weeks that begin on Monday


def answers(request: TurnRequest) -> Iterator[str]:
    if "break" in request.prompt:
        raise ModelFailed("unexpected", said="boom")
    yield "The news of the day"


async def add(page: Page, prompt: str, when: str = "every monday at 8:00", **more: object) -> Any:
    """As a program of this machine does, with the page's own right to it."""
    given = {"prompt": prompt, "when": when, **more}
    answer = await page.request.post("/api/tasks", data=given, headers=await as_owner(page))
    assert answer.ok, await answer.text()
    return await answer.json()


async def stored(page: Page, number: int) -> Any:
    return await (await page.request.get(f"/api/tasks/{number}", headers=await as_owner(page))).json()


async def make_due(host: Host, number: int) -> None:
    def story(tx: Tx) -> None:
        tasks.mark(tx, number, next_run_at=now())
        work.due(tx, work.TASK, str(number), now())

    await host.store.write(story)
    host.engine.kick(work.TASK, str(number))


async def open_tab(page: Page, name: str) -> Locator:
    """The page that the tab leads to."""
    await visit(page, "tasks")
    tabs = page.get_by_role("navigation", name="Tasks")
    await tabs.get_by_role("link", name=name, exact=True).click()
    shown = page.get_by_role("main")
    await expect(shown.get_by_text("Looking it up…")).to_have_count(0)
    return shown


async def open_form(page: Page, shown: Locator) -> Locator:
    await shown.get_by_role("link", name="New task").click()
    form = page.get_by_role("form", name="New task")
    await expect(form.get_by_label("What is to be done")).to_be_focused()
    return form


def card(shown: Locator, title: str) -> Locator:
    return shown.get_by_role("group", name=title, exact=True)


async def test_a_task_is_scheduled_while_its_next_times_are_shown(tmp_path: Path, browser: Browser) -> None:
    home = made_workspace(tmp_path / "w", timezone="Europe/Kyiv")
    async with (
        started_host(home, model=ScriptedModel(answers)) as host,
        page_of(browser, host, base_url=host.url, **BRITISH) as page,
    ):
        shown = await open_tab(page, "Scheduled")
        await expect(shown.locator(".sentence")).to_contain_text("Nothing is scheduled")
        form = await open_form(page, shown)
        await form.get_by_label("What is to be done").fill("Send me the <b>news</b>")
        when, zone = form.get_by_label("When", exact=True), form.get_by_label("On the clock of")
        await when.fill("every monday at 8:00")
        times, told = form.locator(".understood li"), form.get_by_role("status")
        await expect(times).to_have_count(3)
        for each in await times.all_text_contents():
            assert each.startswith("Mon ")
            assert ", 08:00 (+0" in each
        await expect(told).to_contain_text("On the clock of this host: Europe/Kyiv")
        await expect(told).to_contain_text("Runs a month: ")
        await zone.fill("America/New_York")
        await expect(times.first).to_contain_text("08:00 in America/New_York")
        await zone.fill("")
        await expect(told).to_contain_text("On the clock of this host")
        await form.get_by_text("How it is treated").click()
        await form.get_by_label("How often it is tried again").fill("3")
        await form.get_by_label("When the run before it still goes on").select_option("queue")
        await form.get_by_label("The result must have arrived within").fill("2 h")
        await form.get_by_label("A command of the shell").fill("test -s inbox")
        await form.get_by_label("Where the result goes").select_option(label="General (web)")
        await form.get_by_role("button", name="Schedule").click()
        await expect(form).to_have_count(0)
        await expect(shown.locator(".settled")).to_have_text("Task 1 is scheduled: Send me the <b>news</b>")
        await expect(shown.locator(".settled")).to_be_focused()
        made = card(shown, "Send me the <b>news</b>")
        await expect(made).to_contain_text("Mondays at 08:00")
        await expect(made.locator(".next")).to_contain_text(", 08:00 (+0")
        await expect(made).to_contain_text("has not run yet")
        kept = await stored(page, 1)
        assert (kept["schedule_value"], kept["timezone"], kept["zone_of"]) == (
            "0 8 * * 1",
            "Europe/Kyiv",
            "host",
        )
        assert (kept["check"], kept["chat_title"], kept["group"]) == ("test -s inbox", "General", "main")
        treated = {"retries": 3, "overlap": "queue", "deliver_by": 7200, "catch_up": "latest"}
        assert kept["policy"] == {**kept["policy"], **treated}
        await open_form(page, shown)
        await expect(when).to_have_value("")  # what was stored is not offered again


async def test_what_is_wrong_is_said_in_a_sentence_and_nothing_typed_is_lost(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host, base_url=host.url) as page:
        shown = await open_tab(page, "Scheduled")
        form = await open_form(page, shown)
        words, when = form.get_by_label("What is to be done"), form.get_by_label("When", exact=True)
        await words.fill("Send me the news")
        await when.fill("61 * * * *")
        await expect(form.get_by_role("status")).to_contain_text('the minute "61" cannot be used')
        await expect(when).to_have_attribute("aria-invalid", "true")
        await form.get_by_role("button", name="Schedule").click()
        await expect(form.get_by_role("alert")).to_contain_text('the minute "61" cannot be used')
        await page.go_back()  # by mistake
        await open_form(page, shown)
        await expect(when).to_have_value("61 * * * *")
        await expect(words).to_have_value("Send me the news")
        await when.fill("every 2 hours")
        await expect(form.locator(".understood li")).to_have_count(3)
        await expect(when).not_to_have_attribute("aria-invalid", "true")
        await form.get_by_text("How it is treated").click()
        tried = form.get_by_label("How often it is tried again")
        await tried.fill("30")
        await form.get_by_role("button", name="Schedule").click()
        await expect(form.get_by_role("alert")).to_contain_text("a whole number from 0 to 20")
        await expect(tried).to_be_focused()
        await tried.fill("")
        await form.get_by_label("Skill").fill("juggling")
        await form.get_by_role("button", name="Schedule").click()
        await expect(form.get_by_role("alert")).to_contain_text('There is no skill "juggling"')
        await expect(words).to_have_value("Send me the news")
        await form.get_by_label("Skill").fill("")
        await when.press("Enter")
        await expect(card(shown, "Send me the news")).to_contain_text("every 2 h")


async def runs_then_waits_for_money(host: Host, shown: Locator) -> None:
    def story(tx: Tx) -> None:
        task = tasks.get(tx, 1)
        assert task
        assert task.session_id
        budgets.hold(tx, "demo", work.RUN, task.session_id, now())

    await expect(shown.locator(".task-state")).to_contain_text("under way for ")
    await expect(shown.get_by_role("button", name="Run now")).to_have_count(0)
    await host.store.write(story)
    await expect(shown.locator(".task-state")).to_contain_text("waits for money")


async def test_buttons_pause_run_stop_and_delete_and_the_page_follows_what_happens_elsewhere(
    home: Path, browser: Browser
) -> None:
    model = ScriptedModel(answers)
    async with (
        started_host(home, model=model) as host,
        page_of(browser, host, base_url=host.url) as page,
        page_of(browser, host, base_url=host.url) as other,
    ):
        shown, there = await open_tab(page, "Scheduled"), await open_tab(other, "Scheduled")
        await add(page, "Send me the news")
        mine, theirs = card(shown, "Send me the news"), card(there, "Send me the news")
        await expect(theirs).to_be_visible()
        await mine.get_by_role("button", name="Pause").focus()
        await page.keyboard.press("Enter")
        await expect(mine.locator(".task-state")).to_have_text("paused")
        await expect(mine.get_by_role("button", name="Resume")).to_be_focused()
        await expect(theirs.locator(".task-state")).to_have_text("paused")
        await expect(theirs.locator(".next")).to_have_count(0)
        await theirs.get_by_role("button", name="Resume").click()
        await expect(mine.locator(".next")).to_be_visible()
        await expect(there.locator(".settled")).to_have_text("Task 1 goes on: Send me the news")
        model.hold()
        await mine.get_by_role("button", name="Run now").click()
        await runs_then_waits_for_money(host, theirs)
        await theirs.get_by_role("button", name="Stop").click()
        await expect(mine.locator(".task-last")).to_contain_text("stopped")
        model.go_on()
        await make_due(host, 1)
        await expect(mine.locator(".task-last")).to_contain_text("done")
        await expect(theirs.locator(".task-last")).to_contain_text("done")
        await theirs.locator(".task-last").get_by_role("link").click()
        runs = other.get_by_role("region", name="Runs of task 1")
        await expect(runs.locator(".run")).to_have_count(2)
        await runs.locator(".run").first.locator("summary").click()
        await expect(runs.get_by_role("region", name="What came out")).to_have_text("The news of the day")
        await mine.get_by_role("button", name="Run now").click()
        await expect(runs.locator(".run")).to_have_count(3)  # what is open stays open when others come
        await expect(runs.get_by_role("region", name="What came out")).to_be_visible()
        opened = runs.locator(".run[open]")
        await opened.get_by_role("link", name="Link to this run").click()  # it has an address of its own
        await other.reload()
        await expect(runs.get_by_role("region", name="What came out")).to_have_text("The news of the day")
        await opened.get_by_role("link", name="Why?").click()
        await expect(other.get_by_role("heading", name="What happened")).to_be_visible()
        await expect(other.locator(".steps")).to_contain_text("Task 1 was due")
        await open_tab(other, "Scheduled")
        await theirs.get_by_role("button", name="Delete").click()
        doubt = other.get_by_role("alertdialog", name="Delete task 1?")
        await doubt.get_by_role("button", name="Keep it").click()
        await expect(theirs).to_be_visible()
        await theirs.get_by_role("button", name="Delete").click()
        await doubt.get_by_role("button", name="Delete").click()
        await expect(theirs).to_have_count(0)
        await expect(there.locator(".settled")).to_be_focused()
        await expect(mine).to_have_count(0)


async def test_a_task_is_edited_and_only_what_was_changed_is_sent(home: Path, browser: Browser) -> None:
    async with (
        started_host(home, model=ScriptedModel(answers)) as host,
        page_of(browser, host, base_url=host.url, **BRITISH) as page,
    ):
        await add(page, "Send me the news", when="every 90 minutes", stale_after="2h", retries=4)
        before = await stored(page, 1)
        shown = await open_tab(page, "Scheduled")
        await card(shown, "Send me the news").get_by_role("link", name="Edit").click()
        form = page.get_by_role("form", name="Edit task 1")
        await expect(form.get_by_label("When", exact=True)).to_have_value("every 90 min")
        await expect(form.locator(".understood li")).to_have_count(3)
        await expect(form.get_by_label("Where the result goes")).to_be_disabled()
        await expect(form.get_by_label("Where the result goes").locator("option:checked")).to_have_text(
            "General (web)"
        )
        await form.get_by_text("How it is treated").click()
        await expect(form.get_by_label("Of no use any more after")).to_have_value("2 h")
        await expect(form.get_by_label("How often it is tried again")).to_have_value("4")
        await form.get_by_label("What is to be done").fill("Send me the news, shortly")
        await form.get_by_label("Of no use any more after").fill("")
        await form.get_by_label("How often it is tried again").fill("")
        await form.get_by_role("button", name="Save").click()
        await expect(shown.locator(".settled")).to_have_text("Task 1 is changed: Send me the news, shortly")
        after = await stored(page, 1)
        assert after["prompt"] == "Send me the news, shortly"
        assert [after["policy"]["stale_after"], after["policy"]["retries"]] == [None, 4]
        assert after["next_run_at"] == before["next_run_at"]  # its distance is counted from where it was
        await card(shown, "Send me the news, shortly").get_by_role("link", name="Edit").click()
        await form.get_by_label("When", exact=True).fill("weekdays at 9:30")
        await expect(form.locator(".understood")).to_contain_text("Runs a month: 2")
        await form.get_by_role("button", name="Save").click()
        await expect(card(shown, "Send me the news, shortly")).to_contain_text("weekdays at 09:30")
        await card(shown, "Send me the news, shortly").get_by_role("link", name="Edit").click()
        await expect(form.get_by_label("When", exact=True)).to_have_value("weekdays at 09:30")
        await form.get_by_label("On the clock of").fill("nowhere")
        await expect(form.get_by_role("status")).to_contain_text('There is no zone "nowhere"')


async def test_work_is_handed_over_followed_and_stopped(home: Path, browser: Browser) -> None:
    model = ScriptedModel(answers)
    model.hold()
    async with started_host(home, model=model) as host, page_of(browser, host, base_url=host.url) as page:
        shown = await open_tab(page, "In the background")
        await expect(shown.locator(".sentence")).to_contain_text("Nothing runs")
        await shown.get_by_role("link", name="Hand over work").click()
        form = page.get_by_role("form", name="Hand over work")
        await expect(form.get_by_label("What is to be done")).to_be_focused()
        await expect(form.get_by_label("When", exact=True)).to_have_count(0)
        await form.get_by_label("What is to be done").fill("Audit all competitors")
        await form.get_by_label("How many minutes").fill("30")
        await form.get_by_role("button", name="Begin now").click()
        audit = card(shown, "Audit all competitors")
        await expect(audit.locator(".task-state")).to_contain_text("of about 30 minutes")
        await expect(audit.get_by_role("link", name="Edit")).to_have_count(0)
        await expect(audit.get_by_role("button", name="Pause")).to_have_count(0)
        await audit.get_by_role("button", name="Stop").click()
        await expect(audit.locator(".task-state")).to_have_text("stopped")
        model.go_on()
        await audit.get_by_role("button", name="Run again").click()
        await expect(audit.locator(".task-state")).to_have_text("done")
        await expect(card(await open_tab(page, "Scheduled"), "Audit all competitors")).to_have_count(0)
