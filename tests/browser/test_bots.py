"""The "Telegram" page in a real browser: an owner connects a bot, pairs with it, and lets go of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect
from tests.browsing import CHROMIUM, page_of, visit

from nanoclaw.testing import ScriptedModel, TelegramServer, made_workspace, started_host

pytestmark = [
    pytest.mark.capability("O1", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

LOOK_AGAIN = 3_000  # the list is looked at so often
PATIENCE = 60_000


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        yield server


async def open_bots(page: Page) -> Locator:
    await visit(page, "bots")
    shown = page.locator("#main", has=page.get_by_role("heading", name="Telegram"))
    await expect(shown).to_be_visible()
    return shown


async def connect(page: Page, pasted: str) -> None:
    await page.get_by_label("Token of the bot").fill(pasted)
    await page.get_by_label("Token of the bot").press("Enter")


async def code_of(page: Page) -> str:
    return (await page.locator(".pairing pre").inner_text()).removeprefix("/pair ")


async def test_a_bot_is_connected_by_its_token_and_the_link_of_the_page_makes_an_owner(
    home: Path, browser: Browser, server: TelegramServer
) -> None:
    bot = server.add_bot("helper_bot")
    olena = server.person("Olena")
    chat = olena.chat_with(bot)
    allowed = {"permissions": ["clipboard-read", "clipboard-write"]}
    async with (
        started_host(home, model=ScriptedModel("at your service"), telegram={"api_base": server.url}) as host,
        page_of(browser, host, **allowed) as page,
    ):
        shown = await open_bots(page)
        await expect(shown.get_by_role("status").first).to_have_text("No bot is connected yet.")
        await connect(page, f"  {bot.token} ")
        await expect(shown.locator(".bot")).to_contain_text(["@helper_bot"])
        await expect(shown.locator(".bot-number")).to_have_text(bot.token.partition(":")[0])
        await expect(shown.locator(".bot-state")).to_have_text("Works")
        pairing = shown.get_by_role("group", name="Become an owner")
        await expect(pairing).to_be_focused()
        await expect(pairing).to_contain_text("60 minutes")
        code = await code_of(page)
        link = pairing.get_by_role("link", name="Open in Telegram")
        await expect(link).to_have_attribute("href", f"https://t.me/helper_bot?start={code}")
        await expect(pairing.get_by_role("img", name="QR code")).to_be_visible()
        await expect(page.get_by_label("Token of the bot")).to_have_value("")
        await pairing.get_by_role("button", name="Copy").click()
        await expect(pairing.get_by_role("button", name="Copied")).to_be_visible()
        assert await page.evaluate("navigator.clipboard.readText()") == f"/pair {code}"
        await olena.says(chat, f"/start {code}")  # what Telegram sends when the link is followed
        await chat.wait_until(lambda: any("Olena" in text for text in chat.texts()))
        await olena.says(chat, "hello")
        await chat.wait_until(lambda: "at your service" in chat.texts())


async def test_a_token_that_is_none_is_explained_beside_the_field_and_stays_there(
    home: Path, browser: Browser, server: TelegramServer
) -> None:
    bot = server.add_bot("helper_bot")
    unknown = "123456789:AAExampleOfATokenNobodyHas"
    async with (
        started_host(home, telegram={"api_base": server.url}) as host,
        page_of(browser, host) as page,
    ):
        shown = await open_bots(page)
        field, problem = page.get_by_label("Token of the bot"), shown.locator("#bot-token-problem")
        for pasted, sentence in [
            ("", "Paste the token first"),
            ("   ", "Paste the token first"),
            ("helper_bot", "That is no bot token"),
            ("токен:" + "я" * 20, "That is no bot token"),
            (f"  {unknown}", "Telegram does not know this token"),
            ("1" * 300, "token"),
        ]:
            await connect(page, pasted)
            await expect(problem).to_contain_text(sentence)
            await expect(field).to_have_value(pasted)
            await expect(field).to_be_focused()
            await expect(field).to_have_attribute("aria-invalid", "true")
        server.fail("getMe", status=502)
        await connect(page, bot.token)
        await expect(problem).to_contain_text("Telegram cannot be reached")
        await field.press("End")
        await field.press("Backspace")  # a person correcting it is not interrupted by complaints
        await expect(problem).to_be_empty()
        await expect(shown.locator(".bot")).to_have_count(0)
        await expect(shown.get_by_role("button", name="Connect", exact=True)).to_be_visible()


async def test_what_troubles_a_bot_is_told_and_connecting_it_again_keeps_one_of_it(
    home: Path, browser: Browser, server: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nanoclaw.channels.telegram.polling._CONFLICT_LASTS", -1)
    bot = server.add_bot("helper_bot")
    said = "Conflict: terminated by other getUpdates request"
    server.fail("getUpdates", status=409, description=said, times=2)
    async with (
        started_host(home, telegram={"api_base": server.url}) as host,
        page_of(browser, host) as page,
    ):
        shown = await open_bots(page)
        await connect(page, bot.token)
        state = shown.locator(".bot-state")
        await expect(state).to_contain_text("Another program fetches the updates", timeout=PATIENCE)
        await expect(shown.locator(".announcer")).to_contain_text("@helper_bot: Another program")
        first = await code_of(page)
        await connect(page, f"Use this token to access the HTTP API:\n{bot.token}\nKeep your token secure")
        await expect(state).to_have_text("Works", timeout=PATIENCE)
        await expect(shown.locator(".bot")).to_have_count(1)
        await expect(shown.locator(".pairing pre")).not_to_have_text(f"/pair {first}")


async def test_a_bot_is_let_go_only_when_the_question_is_answered(
    home: Path, browser: Browser, server: TelegramServer
) -> None:
    bot = server.add_bot("helper_bot")
    async with (
        started_host(home, telegram={"api_base": server.url}) as host,
        page_of(browser, host) as page,
    ):
        await host.bots.connect(bot.token)
        shown = await open_bots(page)
        question = page.get_by_role("alertdialog", name="Disconnect @helper_bot?")
        # Until Telegram has said it, it is a number.
        await expect(shown.locator(".bot")).to_contain_text("@helper_bot")
        await shown.get_by_role("button", name="Disconnect").click()
        await expect(question).to_contain_text("its token is forgotten")
        await page.keyboard.press("Escape")
        await expect(question).to_be_hidden()
        await expect(shown.locator(".bot")).to_have_count(1)
        await shown.get_by_role("button", name="Disconnect").click()
        await page.route("**/api/bots/*", lambda route: route.abort())
        await question.get_by_role("button", name="Disconnect").click()
        await expect(question.get_by_role("alert")).to_contain_text("cannot be reached")
        await page.unroute("**/api/bots/*")
        await question.get_by_role("button", name="Disconnect").click()
        await expect(question).to_be_hidden()
        await expect(shown.locator(".bot")).to_have_count(0)
        await expect(shown.get_by_role("status").first).to_have_text("No bot is connected yet.")
        await expect(shown.locator(".announcer")).to_have_text("@helper_bot is no longer connected.")
        assert await host.bots.report("en") == []


async def test_a_code_is_replaced_by_a_new_one_and_goes_when_its_time_is_over(
    home: Path, browser: Browser, server: TelegramServer
) -> None:
    bot = server.add_bot("helper_bot")
    olena = server.person("Olena")
    chat = olena.chat_with(bot)
    async with (
        started_host(home, telegram={"bot_token": bot.token, "api_base": server.url}) as host,
        page_of(browser, host) as page,
    ):
        await page.clock.install()
        shown = await open_bots(page)
        await expect(shown.locator(".bot-state")).to_have_text("Works")
        ask = shown.get_by_role("button", name="New pairing code")
        await ask.click()
        await expect(shown.locator(".pairing pre")).to_contain_text("/pair ")
        first = await code_of(page)
        await ask.click()
        await expect(shown.locator(".pairing pre")).not_to_have_text(f"/pair {first}")
        await expect(shown.locator(".pairing")).to_have_count(1)
        await olena.says(chat, f"/pair {first}")
        await chat.wait_until(lambda: any("too old" in text for text in chat.texts()))
        await page.clock.fast_forward("59:00")
        await expect(shown.locator(".pairing-until")).to_contain_text("1 minute ")
        await page.clock.fast_forward("02:00")
        await expect(shown.locator(".pairing")).to_have_count(0)
        await expect(shown.locator(".bot").get_by_role("alert")).to_contain_text("too old")
        await ask.click()
        await expect(shown.locator(".pairing")).to_be_visible()
        await visit(page, "chats")
        await open_bots(page)  # nobody who opens it later finds the code
        await expect(shown.locator(".bot-state")).to_have_text("Works")
        await expect(shown.locator(".pairing")).to_have_count(0)


async def test_the_list_follows_what_happens_elsewhere_while_it_is_open(
    home: Path, browser: Browser, server: TelegramServer
) -> None:
    bots = [server.add_bot("first_bot"), server.add_bot("second_bot")]
    async with (
        started_host(home, telegram={"api_base": server.url}) as host,
        page_of(browser, host) as page,
    ):
        looks: list[str] = []
        page.on("request", lambda request: looks.append(request.url) if "/api/bots" in request.url else None)
        await page.clock.install()
        shown = await open_bots(page)
        await expect(shown.get_by_role("status").first).to_have_text("No bot is connected yet.")
        for bot in bots:
            await host.bots.connect(bot.token)
        await page.clock.fast_forward(LOOK_AGAIN)
        await expect(shown.locator(".bot-name")).to_have_text(["@first_bot", "@second_bot"], timeout=PATIENCE)
        await host.bots.disconnect(bots[0].token.partition(":")[0])
        await page.clock.fast_forward(LOOK_AGAIN)
        await expect(shown.locator(".bot-name")).to_have_text(["@second_bot"], timeout=PATIENCE)
        await visit(page, "chats")
        await expect(shown).to_be_hidden()
        before = len(looks)
        await page.clock.run_for(60_000)
        assert len(looks) == before
        await open_bots(page)
        await expect(shown.locator(".bot-name")).to_have_text(["@second_bot"])


async def test_a_host_that_stops_meanwhile_is_told_and_the_token_is_not_lost(
    home: Path, browser: Browser, server: TelegramServer
) -> None:
    bot = server.add_bot("helper_bot")
    async with started_host(home, telegram={"api_base": server.url}) as host:
        port, link = int(host.url.rsplit(":", 1)[1].strip("/")), f"{host.url}?token={host.token}"
        page = await browser.new_page()
        await page.goto(link)
        shown = await open_bots(page)
        await expect(shown.get_by_role("status").first).to_have_text("No bot is connected yet.")
    await expect(shown.get_by_role("status").first).to_contain_text("cannot be reached", timeout=PATIENCE)
    await connect(page, bot.token)
    await expect(shown.get_by_role("alert").last).to_contain_text("cannot be reached")
    await expect(page.get_by_label("Token of the bot")).to_have_value(bot.token)
    async with started_host(home, telegram={"api_base": server.url}, web={"port": port}):
        await expect(shown.get_by_role("status").first).to_have_text(
            "No bot is connected yet.", timeout=PATIENCE
        )
        await page.get_by_label("Token of the bot").press("Enter")
        await expect(shown.locator(".bot-name")).to_have_text("@helper_bot")
        await page.close()


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("uk", "dark")])
async def test_a_phone_shows_the_page_in_the_colours_and_the_language_of_the_person(
    tmp_path: Path, browser: Browser, server: TelegramServer, language: str, scheme: str
) -> None:
    bot = server.add_bot("a_bot_with_the_longest_name_bot")
    home = made_workspace(tmp_path / "w", language=language)
    phone = {"viewport": {"width": 360, "height": 740}, "color_scheme": scheme, "has_touch": True}
    async with (
        started_host(home, telegram={"bot_token": bot.token, "api_base": server.url}) as host,
        page_of(browser, host, **phone) as page,
    ):
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        shown = await open_bots(page)
        works = {"en": "Works", "uk": "Працює"}[language]
        await expect(shown.locator(".bot-state")).to_have_text(works)
        await shown.get_by_role(
            "button", name={"en": "New pairing code", "uk": "Новий код спарування"}[language]
        ).click()
        await expect(shown.locator(".pairing-until")).to_contain_text(
            {"en": "60 minutes", "uk": "60 хвилин"}[language]
        )
        body = shown.locator(".page-body")
        assert await body.evaluate("body => body.scrollWidth <= body.clientWidth")
        assert "console-" not in await shown.inner_text()
