"""The calendar in a real browser: what was, what comes, by mouse, by keyboard and on a phone."""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Browser, expect
from tests.browser.test_tasks import BRITISH, add, answers, make_due, open_tab
from tests.browsing import CHROMIUM, page_of, visit

from nanoclaw.domain.tasks import RunReason, RunStatus
from nanoclaw.durable import task_runs, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, made_workspace, started_host

pytestmark = [
    pytest.mark.capability("F3", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]


def where_it_is_noon() -> str:
    """There no day ends while a test looks at it."""
    ahead = 12 - now().hour
    return f"Etc/GMT{-ahead:+d}"


async def have_run(host: Host, number: int, at: datetime, status: RunStatus, **values: object) -> None:
    """As if it had, at some time before."""

    def story(tx: Tx) -> None:
        task = tasks.get(tx, number)
        assert task
        run = task_runs.add(tx, task, at, RunReason.SCHEDULE, at)
        assert run
        past = {"started_at": at, "finished_at": at + timedelta(seconds=2), "duration_ms": 2000}
        task_runs.mark(tx, run.id, status=status.value, **past, **values)

    await host.store.write(story)


async def test_past_runs_have_the_colour_of_how_they_went_and_open_to_result_time_and_cost(
    tmp_path: Path, browser: Browser
) -> None:
    zone = where_it_is_noon()
    home = made_workspace(tmp_path / "w", timezone=zone)
    async with (
        started_host(home, model=ScriptedModel(answers)) as host,
        page_of(browser, host, base_url=host.url, **BRITISH) as page,
    ):
        await add(page, "Send me the news", when="every day at 18:00")
        past = now().astimezone(ZoneInfo(zone)) - timedelta(days=2)
        past = past.replace(hour=0, minute=30, second=0, microsecond=0)
        await have_run(host, 1, past, RunStatus.FAILED, error={"key": "check-slow", "seconds": 30})
        went_well = {"result": "All news", "micros": 12_300}
        await have_run(host, 1, past + timedelta(hours=23), RunStatus.SUCCESS, **went_well)
        shown = await open_tab(page, "Calendar")
        await shown.locator('[aria-current="date"]').focus()
        for _ in range(2):
            await page.keyboard.press("ArrowLeft")  # perhaps into another month
        before = shown.locator(f'[data-day="{past.date()}"]')
        await expect(before).to_be_focused()
        failed, done = before.locator(".entry").first, before.locator(".entry").nth(1)
        await expect(failed).to_have_attribute("data-status", "failed")
        await expect(done).to_have_attribute("data-status", "success")
        await expect(failed).to_contain_text("00:30")
        await done.click()
        runs = page.locator(".runs .run")
        await expect(runs).to_have_count(2)
        await runs.nth(1).locator("summary").click()
        await expect(runs.nth(1).get_by_role("region", name="What came out")).to_have_text("All news")
        await expect(runs.nth(1)).to_contain_text("$0.0123")
        await expect(runs.nth(1)).to_contain_text("2 s")
        await runs.first.locator("summary").click()
        await expect(runs.first).to_contain_text("did not end within 30 s")
        await page.reload()  # the day has an address of its own
        await expect(runs).to_have_count(2)
        await page.go_back()
        await expect(before).to_be_focused()


async def test_what_comes_is_reached_by_keyboard_and_changes_when_it_runs(
    tmp_path: Path, browser: Browser
) -> None:
    zone = where_it_is_noon()
    home = made_workspace(tmp_path / "w", timezone=zone)
    async with (
        started_host(home, model=ScriptedModel(answers), tasks={"retries": 0}) as host,
        page_of(browser, host, base_url=host.url, **BRITISH) as page,
    ):
        await add(page, "Send me the news", when="every day at 18:00")
        shown = await open_tab(page, "Calendar")
        grid, title = shown.get_by_role("grid"), page.locator("#calendar-title")
        this_day = grid.locator('[aria-current="date"]')
        await expect(this_day).to_be_visible()
        # From the tab to Month, Week, Earlier, Today, Later, and into the grid.
        await page.locator(".tabs [href='/calendar']").focus()
        for _ in range(6):
            await page.keyboard.press("Tab")
        await expect(this_day).to_be_focused()
        await page.keyboard.press("ArrowRight")
        following = now().astimezone(ZoneInfo(zone)) + timedelta(days=1)
        tomorrow = grid.locator(f'[data-day="{following.date()}"]')
        await expect(tomorrow).to_be_focused()
        await expect(tomorrow.locator(".entry")).to_have_attribute("data-status", "coming")
        name = f"{following:%A} {following.day} {following:%B}: to come 1"
        await expect(tomorrow).to_have_accessible_name(name)
        await page.keyboard.press("Enter")
        await expect(page.locator(".runs .run")).to_contain_text("to come")
        await page.go_back()
        await expect(tomorrow).to_be_focused()
        month = await title.text_content() or ""
        await page.keyboard.press("PageDown")
        await expect(title).not_to_have_text(month)
        await expect(grid.locator(".cal-day:focus .entry")).to_have_count(1)
        await page.keyboard.press("PageUp")
        await expect(title).to_have_text(month)
        await shown.get_by_role("button", name="Week").click()
        await expect(grid.locator(".cal-day")).to_have_count(7)
        await expect(grid.get_by_role("columnheader").first).to_have_text("Mon")
        await shown.get_by_role("button", name="Today").click()
        await expect(this_day.locator(".entry")).to_have_count(1)
        await add(page, "Please break", when="in 2 hours")
        broken = grid.locator(".entry", has_text="Please break")
        await expect(broken).to_have_attribute("data-status", "coming")
        await make_due(host, 2)  # and it goes wrong while one looks
        await expect(broken.and_(grid.locator("[data-status=failed]"))).to_be_visible()


async def test_tasks_and_the_calendar_fit_a_phone_in_ukrainian(tmp_path: Path, browser: Browser) -> None:
    home = made_workspace(tmp_path / "w", language="uk", timezone=where_it_is_noon())
    phone = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark", "locale": "uk-UA"}
    async with (
        started_host(home, model=ScriptedModel(answers)) as host,
        page_of(browser, host, base_url=host.url, **phone) as page,
    ):
        await add(
            page, "Надсилай мені найважливіші новини дня з посиланнями на джерела", when="щодня о 18:00"
        )
        await have_run(host, 1, now() - timedelta(minutes=1), RunStatus.MISSED, error={"key": "run-missed"})
        await visit(page, "tasks")
        await expect(page.locator(".task")).to_contain_text("щодня о 18:00")
        await expect(page.locator(".task-last")).to_contain_text("не відбулося")
        fits = "main => main.scrollWidth <= main.clientWidth"
        assert await page.get_by_role("main").evaluate(fits)
        await page.locator(".task").get_by_role("link", name="Змінити").click()
        await expect(page.get_by_label("Коли", exact=True)).to_have_value("щодня о 18:00")
        await page.get_by_text("Що робити, коли щось іде не так").click()
        assert await page.get_by_role("main").evaluate(fits)
        await page.go_back()
        await page.get_by_role("link", name="Календар").click()
        today = page.locator('.cal-day[aria-current="date"]')
        await expect(today.locator(".entry")).to_have_count(2)
        await expect(today.locator(".day-name")).to_be_visible()
        await expect(page.locator(".cal-day.empty:not([aria-current])").first).to_be_hidden()
        assert await page.get_by_role("main").evaluate(fits)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await today.locator(".entry").first.click()
        await expect(page.locator(".runs .run").first).to_contain_text("не відбулося")
