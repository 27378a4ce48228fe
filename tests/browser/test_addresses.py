"""Every page has an address: Back, reload and links work; an address that no page has says so."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.test_activity import many_connections
from tests.browsing import CHROMIUM, page_of, visit

from nanoclaw.durable import people
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, made_workspace, started_host

pytestmark = [
    pytest.mark.capability("O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

ROUTES = Path("src/nanoclaw/console/static/pages")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
BAR = {
    "en": ["Chats", "Inbox", "Tasks", "People", "More"],
    "uk": ["Чати", "Вхідні", "Задачі", "Люди", "Більше"],
}


def addresses() -> list[tuple[str, str]]:
    """Each pattern of an address that the page knows, with the entry of the bar that it belongs to."""
    source = "".join(path.read_text("utf-8") for path in sorted(ROUTES.rglob("routes.js")))
    return re.findall(r'pattern: "([^"]+)", section: "([a-z]+)"', source)


async def heading(page: Page) -> str:
    found = page.locator("#main h1")
    await expect(found).not_to_be_empty()
    return await found.inner_text()


async def first_room(host: Host) -> str:
    return await host.store.read(lambda tx: people.chats_of(tx, ("web",))[0][0].id)


async def follow(page: Page, address: str) -> str:
    """The heading behind a link of the page. The page before stays until the new one is here: its heading is marked."""
    await page.evaluate(
        """to => {
            document.querySelector("#main h1").dataset.isOld = "";
            const link = Object.assign(document.createElement("a"), { href: to });
            document.body.append(link);
            link.click();
            link.remove();
        }""",
        address,
    )
    found = page.locator("#main h1:not([data-is-old])")
    await expect(found).not_to_be_empty()
    return await found.inner_text()


async def test_every_address_opens_its_page_by_a_link_and_by_a_reload(home: Path, browser: Browser) -> None:
    patterns = addresses()
    assert len(patterns) >= 9
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        room, reloaded, root = await first_room(host), set(), host.url.rstrip("/")
        await heading(page)
        async with httpx.AsyncClient(base_url=root) as anyone:
            for pattern, section in reversed(patterns):  # the page begins with the first
                address = re.sub(":[a-z]+", "1", pattern.replace(":room", room).replace(":day", "2026-11-16"))
                if not page.url.endswith("/more") and address != "/more":
                    await follow(page, "/more")  # neighbours may share a page, and with it the heading
                shown = await follow(page, address)
                assert shown != "There is no such page", address
                here = page.locator(".bar [aria-current]:visible")
                if section != "more":  # only phones have it
                    await expect(page.locator(f".bar [data-section={section}] a")).to_have_attribute(
                        "aria-current", "page"
                    )
                    await expect(here).to_have_count(1)
                if section not in reloaded:  # every address is answered alike, so one of each section will do
                    reloaded.add(section)
                    await page.reload()
                    await expect(page.locator("#main h1")).to_have_text(shown)
                assert (await anyone.get(address)).text == (await anyone.get("/")).text
                assert page.url == root + address


async def test_neighbours_have_titles_of_their_own(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        await visit(page, "inbox")
        await expect(page).to_have_title("Questions · Inbox · NanoClaw OS")
        await page.locator(".tabs a[href='/permits']").click()
        await expect(page).to_have_title("Permits · Inbox · NanoClaw OS")
        await visit(page, "people")
        await expect(page).to_have_title("People · NanoClaw OS")  # not twice the same


async def test_back_and_forth_lead_through_the_pages_and_the_focus_goes_along(
    home: Path, browser: Browser
) -> None:
    async with started_host(home, model=ScriptedModel("hi")) as host, page_of(browser, host) as page:
        await expect(page.locator("#text")).to_be_focused()
        await page.evaluate("window.isTheSame = true")
        for section, title in (("bots", "Telegram"), ("connections", "Connections to the outside")):
            await visit(page, section)
            await expect(page.locator("#main h1")).to_have_text(title)
            await expect(page.locator("#main h1")).to_be_focused()
            await expect(page).to_have_title(f"{title} · NanoClaw OS")
        await page.go_back()
        await expect(page.locator("#main h1")).to_have_text("Telegram")
        await expect(page.locator("#main h1")).to_be_focused()
        await page.go_back()
        await expect(page.locator("#main h1")).to_have_text("General")
        await expect(page.locator("#text")).to_be_focused()
        await page.go_forward()
        await expect(page.locator("#main h1")).to_have_text("Telegram")
        assert await page.evaluate("window.isTheSame")  # nothing was reloaded
        async with page.context.expect_page() as opened:
            await page.locator(".bar [data-section=connections] a").click(modifiers=["Control"])
        other = await opened.value
        await expect(other.locator("#main h1")).to_have_text("Connections to the outside")
        assert page.url.endswith("/bots")


async def test_what_is_said_while_another_page_is_open_is_marked_in_the_bar(
    home: Path, browser: Browser
) -> None:
    async with (
        started_host(home, model=ScriptedModel("hi")) as host,
        page_of(browser, host) as one,
        page_of(browser, host) as two,
    ):
        await visit(two, "connections")
        dot = two.locator(".bar [data-section=chats] .dot")
        await expect(two.locator("#main h1")).to_have_text("Connections to the outside")
        await expect(dot).to_have_count(0)
        await one.locator("#text").fill("hello")
        await one.keyboard.press("Enter")
        await expect(dot).to_be_visible()
        await visit(two, "chats")
        await expect(two.locator(".bubble", has_text="hi")).to_be_visible()
        await expect(dot).to_have_count(0)


async def test_whoever_comes_back_to_a_conversation_goes_on_reading_where_they_were(
    home: Path, browser: Browser
) -> None:
    long = "\n\n".join(f"paragraph {number}" for number in range(60))
    async with started_host(home, model=ScriptedModel(long)) as host, page_of(browser, host) as page:
        await page.locator("#text").fill("tell me all")
        await page.keyboard.press("Enter")
        await expect(page.locator(".row[data-state=delivered]")).to_be_visible()
        await expect(page.locator(".bubble p", has_text="paragraph 59")).to_be_in_viewport()
        middle = page.locator(".bubble p", has_text="paragraph 20")
        await middle.evaluate("paragraph => paragraph.scrollIntoView({ block: 'center' })")
        await expect(page.locator("#to-end")).to_be_visible()
        await visit(page, "connections")
        await expect(page.locator("#main h1")).to_have_text("Connections to the outside")
        await page.go_back()
        await expect(middle).to_be_in_viewport()
        # All is in sight: nothing is left to go down to.
        await expect(page.locator("#to-end")).to_be_visible()
        await page.set_viewport_size({"width": 1280, "height": 5000})
        await expect(page.locator("#to-end")).to_be_hidden()


async def test_a_long_list_is_where_it_was_left_when_the_person_comes_back(
    home: Path, browser: Browser
) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        await host.store.write(many_connections)
        await visit(page, "connections")
        row = page.locator(".connections tr", has_text="api20.example.com")
        await row.scroll_into_view_if_needed()
        await expect(row).to_be_in_viewport()
        await visit(page, "bots")
        await expect(page.locator("#main h1")).to_have_text("Telegram")
        await page.go_back()
        await expect(row).to_be_in_viewport()
        await visit(page, "bots")
        await visit(page, "connections")  # a new visit begins at the top
        await expect(page.locator("#main h1")).to_be_in_viewport()


@pytest.mark.parametrize("language", ["en", "uk"])
async def test_a_phone_has_the_bar_at_the_bottom_and_the_rest_behind_more(
    tmp_path: Path, browser: Browser, language: str
) -> None:
    home = made_workspace(tmp_path / "w", language=language)
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host, **PHONE) as page:
        bar = page.locator(".bar")
        await expect(bar.locator("a:visible")).to_have_text(BAR[language])
        box = await bar.bounding_box()
        assert box
        assert (box["x"], round(box["y"] + box["height"])) == (0, 844)
        clipped = "links => links.filter(link => link.scrollWidth > link.clientWidth).length"
        assert await bar.locator("a:visible span").evaluate_all(clipped) == 0
        for section in ("inbox", "tasks", "people", "bots", "connections"):
            await visit(page, section)
            await heading(page)
            assert page.url.endswith(f"/{section}")
            await expect(bar.locator("a[aria-current]:visible")).to_have_count(1)
            assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await visit(page, "chats")  # a list first, then the conversation
        await expect(page.locator("#timeline")).to_have_count(0)
        await page.locator("#rooms a").first.click()
        await expect(page.locator("#text")).to_be_visible()
        await page.go_back()
        await expect(page.locator("#rooms a").first).to_be_visible()


async def test_an_address_that_no_page_has_says_so_and_leads_back(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        for address in ("nowhere", "chats/1/2/3", "more/", "%zz", "Inbox"):
            await page.goto(host.url + address)
            await expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
        await page.get_by_role("link", name="Go to the chats").click()
        await expect(page.get_by_role("heading", name="General")).to_be_visible()
        await page.goto(f"{host.url}chats/nothing")
        await expect(page.get_by_role("alert")).to_contain_text("There is no such room")
        await page.get_by_role("link", name="General").click()
        await expect(page.locator("#text")).to_be_focused()


async def test_a_page_whose_script_cannot_be_fetched_says_so_and_is_fetched_again(
    home: Path, browser: Browser
) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        await page.route("**/pages/tasks/scheduled.js", lambda route: route.abort())
        await visit(page, "tasks")
        await expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
        await expect(page.locator(".bar [data-section=inbox] a")).to_be_visible()
        await page.unroute("**/pages/tasks/scheduled.js")
        await page.get_by_role("button", name="Try again").click()
        await expect(page.locator("#main h1")).to_have_text("Tasks")


@pytest.mark.attack
async def test_no_address_gives_anything_to_whoever_has_no_token(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        stranger = await browser.new_context()
        page = await stranger.new_page()
        for address in ("", "inbox", "tasks/1", "nowhere"):
            await page.goto(host.url + address)
            await expect(page.get_by_role("heading")).to_have_text("This page is locked")
            await expect(page.locator(".bar")).to_have_count(0)
        await stranger.close()
        async with httpx.AsyncClient(base_url=host.url) as nobody:
            for path in ("/api/nothing", "/api/rooms/x/messages"):
                assert (await nobody.get(path)).status_code == 401
            owner = {"authorization": f"Bearer {host.token}"}
            assert (await nobody.get("/api/nothing", headers=owner)).status_code == 404
            assert (await nobody.post("/inbox", headers=owner)).status_code == 405
