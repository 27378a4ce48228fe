"""The chat page in a real browser: what a person sees and does."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, expect
from tests.browsing import CHROMIUM, page_of

from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]


def bubble(page: Page, text: str) -> Locator:
    """What is said in the room, not what is repeated for screen readers."""
    return page.locator(".bubble", has_text=text)


async def write(page: Page, text: str) -> None:
    await page.locator("#text").fill(text)
    await page.keyboard.press("Enter")


async def test_the_link_opens_the_page_and_leaves_the_token_out_of_the_address(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        assert host.token not in page.url
        await expect(page.get_by_role("heading", name="General")).to_be_visible()
        await page.reload()
        await expect(page.get_by_role("heading", name="General")).to_be_visible()
        stranger = await browser.new_page()
        await stranger.goto(host.url)
        await expect(stranger.get_by_text("nanoclaw status")).to_be_visible()
        assert "General" not in await stranger.content()


@pytest.mark.capability("A10")
async def test_the_answer_grows_in_two_browsers_at_once_and_survives_a_reload(
    home: Path, browser: Browser
) -> None:
    model = ScriptedModel(lambda _: ["**Growing** answer", " that ends here"])
    model.hold()
    async with (
        started_host(home, model=model) as host,
        page_of(browser, host) as one,
        page_of(browser, host) as two,
    ):
        await write(one, "hello from one")
        await expect(bubble(two, "hello from one")).to_be_visible()
        await expect(two.get_by_text("working on it").first).to_be_visible()
        model.go_on()
        for page in (one, two):
            await expect(bubble(page, "Growing answer that ends here")).to_be_visible()
            await expect(page.locator(".bubble strong", has_text="Growing")).to_be_visible()
        await one.reload()
        await expect(bubble(one, "Growing answer that ends here")).to_have_count(1)
        await expect(bubble(one, "hello from one")).to_have_count(1)


async def test_rooms_are_made_renamed_and_kept_apart(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel("hi")) as host, page_of(browser, host) as page:
        await page.get_by_role("button", name="New room").click()
        await page.get_by_role("textbox", name="Name").fill("Plans")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("heading", name="Plans")).to_be_visible()
        await write(page, "only here")
        await expect(bubble(page, "only here")).to_be_visible()
        await page.get_by_role("link", name="General").click()
        await expect(page.get_by_role("heading", name="General")).to_be_visible()
        await expect(bubble(page, "only here")).to_have_count(0)
        await page.go_back()
        await expect(bubble(page, "only here")).to_be_visible()


async def test_what_people_and_agents_write_cannot_run_in_the_page(home: Path, browser: Browser) -> None:
    attack = "<img src=x onerror=\"document.title='owned'\"> [x](javascript:document.title='owned')"
    async with started_host(home, model=ScriptedModel(attack)) as host, page_of(browser, host) as page:
        await write(page, attack)
        await expect(page.locator(".row").nth(1)).to_contain_text("onerror")
        assert await page.title() != "owned"
        await expect(page.locator(".bubble img")).to_have_count(0)


@pytest.mark.capability("A15", "O2")
async def test_why_shows_the_timeline_and_a_failed_message_can_be_retried(
    home: Path, browser: Browser
) -> None:
    def fail(_: object) -> list[str]:
        raise ZeroDivisionError

    model = ScriptedModel(fail)
    async with started_host(home, model=model) as host, page_of(browser, host) as page:
        await write(page, "hello")
        await expect(bubble(page, "Something went wrong and there is no answer")).to_be_visible()
        await page.get_by_role("link", name="Why?").first.click()
        await expect(page.get_by_text("received on web and stored")).to_be_visible()
        await expect(page.get_by_text("failed: an unexpected error")).to_be_visible()
        await page.get_by_role("link", name="Back").click()
        model.script = "now it works"
        await page.get_by_role("button", name="Retry").click()
        await expect(bubble(page, "now it works")).to_be_visible()


async def test_an_answer_that_ended_while_nobody_looked_is_there_when_the_page_is_seen_again(
    home: Path, browser: Browser
) -> None:
    model = ScriptedModel(lambda _: ["begun ", "and ended"])
    async with started_host(home, model=model) as host, page_of(browser, host) as page:
        await write(page, "hello")
        await expect(bubble(page, "begun and ended")).to_be_visible()
        look_away = "Object.defineProperty(document, 'hidden', {configurable: true, get: () => HIDDEN});"
        look_away += "document.dispatchEvent(new Event('visibilitychange'))"
        model.hold()
        model.script = lambda _: ["half ", "and whole"]
        await write(page, "again")
        await expect(page.get_by_text("working on it").first).to_be_visible()
        await page.evaluate(look_away.replace("HIDDEN", "true"))
        model.go_on()
        await host.calm(60)
        await page.evaluate(look_away.replace("HIDDEN", "false"))
        await expect(bubble(page, "half and whole")).to_have_count(1)
        await page.wait_for_timeout(300)  # the page reads the room again, and must not lose what it shows
        await expect(bubble(page, "half and whole")).to_have_count(1)


async def test_a_turn_that_fails_after_its_first_words_leaves_no_half_answer(
    home: Path, browser: Browser
) -> None:
    def fail(_: object) -> Iterator[str]:
        yield "the first words"
        raise ZeroDivisionError

    async with started_host(home, model=ScriptedModel(fail)) as host, page_of(browser, host) as page:
        await write(page, "hello")
        await expect(bubble(page, "Something went wrong")).to_be_visible()
        await expect(bubble(page, "the first words")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_phone_shows_everything_without_scrolling_sideways(
    home: Path, browser: Browser, scheme: str
) -> None:
    phone = {"viewport": {"width": 390, "height": 800}, "color_scheme": scheme}
    async with started_host(home) as host, page_of(browser, host, **phone) as page:
        await write(page, "/demo")
        await expect(bubble(page, "What is our tone of voice?")).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await page.get_by_role("link", name="Show rooms").click()
        await expect(page.get_by_role("link", name="Terminal")).to_be_visible()
        background = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = sum(int(part) for part in background.strip("rgb()").split(",")[:3])
        assert (brightness < 200) == (scheme == "dark")


async def test_what_could_not_be_sent_is_not_lost(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel("there")) as host, page_of(browser, host) as page:
        await page.route("**/messages", lambda route: route.abort())
        await write(page, "precious words")
        await expect(page.get_by_role("alert")).to_contain_text("NanoClaw OS cannot be reached right now.")
        await expect(page.locator("#text")).to_have_value("precious words")
        await page.unroute("**/messages")
        await page.reload()
        await expect(page.locator("#text")).to_have_value("precious words")
        await page.locator("#text").press("Enter")
        await expect(bubble(page, "there")).to_be_visible()
        await expect(bubble(page, "precious words")).to_have_count(1)


async def test_a_page_that_was_open_during_a_restart_goes_on_by_itself(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel("first life")) as host:
        port, link = int(host.url.rsplit(":", 1)[1].strip("/")), f"{host.url}?token={host.token}"
        page = await browser.new_page()
        await page.goto(link)
        await write(page, "before")
        await expect(bubble(page, "first life")).to_be_visible()
    await write(page, "after")
    await expect(page.get_by_role("alert")).to_contain_text("Not sent.")
    async with started_host(home, model=ScriptedModel("second life"), web={"port": port}):
        await expect(page.get_by_role("alert")).to_have_count(0)  # nothing is in its way any more
        await expect(page.locator("#text")).to_have_value("after")
        await page.locator("#text").press("Enter")
        await expect(bubble(page, "second life")).to_be_visible()
        await expect(page.locator(".row")).to_have_count(4)


async def test_the_page_speaks_ukrainian_to_a_ukrainian(tmp_path: Path, browser: Browser) -> None:
    async with started_host(tmp_path / "w") as host, page_of(browser, host) as page:
        await write(page, "/language uk")
        await expect(bubble(page, "Відтепер хост говорить з вами українською.")).to_be_visible()
        await page.reload()
        await expect(page.get_by_placeholder("Напишіть повідомлення")).to_be_visible()
        await expect(page.locator("html")).to_have_attribute("lang", "uk")
