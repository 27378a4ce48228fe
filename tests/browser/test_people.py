"""The pages about people and the cards in rooms, in a real browser: an owner manages who may speak."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect
from tests.browsing import CHROMIUM, page_of, visit

from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, made_workspace, started_host

pytestmark = [
    pytest.mark.capability("O3", "P3", "P4"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]


async def settle_in(host: Host) -> None:
    """A group chat that belongs to the agent group main, and an owner on its network."""

    def story(tx: Tx) -> None:
        people.add_person(tx, handle="unknown:9", name="Olena", role=Role.OWNER, at=now(), username="olena")
        chat = people.add_chat(
            tx, channel="unknown", address="-100", title="Garden", at=now(), kind=ChatKind.GROUP
        )
        wirings.wire(tx, chat.id, chat.kind, "main", now())

    await host.store.write(story)


async def hear(host: Host, number: int, text: str, handle: str = "unknown:1", **more: Any) -> None:
    where = {"address": "-100", "chat_title": "Garden"}
    given: dict[str, Any] = {"sender": "Taras", "addressed": True, **where, **more}
    await host.inbound.receive(
        Incoming(
            channel="unknown",
            kind=ChatKind.GROUP,
            external_id=str(number),
            handle=handle,
            text=text,
            sent_at=now(),
            **given,
        )
    )


async def open_tab(page: Page, name: str) -> Locator:
    """The page that the tab leads to."""
    await visit(page, "people")
    tabs = page.get_by_role("navigation", name="People")
    tab = tabs.get_by_role("link", name=name, exact=True)
    await tab.click()
    await expect(tab).to_have_attribute("aria-current", "page")
    shown = page.get_by_role("main")
    await expect(shown.get_by_text("Looking it up…")).to_have_count(0)
    return shown


def row(shown: Locator, name: str) -> Locator:
    return shown.get_by_role("group", name=name, exact=True)


async def agree(page: Page, question: str, act: str) -> None:
    """To what the page asks before it does something heavy."""
    doubt = page.get_by_role("alertdialog", name=question)
    await doubt.get_by_role("button", name=act, exact=True).click()
    await expect(doubt).to_be_hidden()


async def test_a_card_is_decided_by_its_button_and_signed_in_every_open_browser(
    home: Path, browser: Browser
) -> None:
    async with (
        started_host(home, model=ScriptedModel("welcome")) as host,
        page_of(browser, host) as one,
        page_of(browser, host) as two,
    ):
        await settle_in(host)
        await hear(host, 1, "may I *speak*?")
        for page in (one, two):
            await expect(page.locator(".row .choices button")).to_have_text(["Allow", "Deny", "Block"])
            await expect(page.locator(".bubble blockquote")).to_have_text("may I *speak*?")
        await one.get_by_role("button", name="Allow").focus()
        await one.keyboard.press("Enter")
        for page in (one, two):
            await expect(page.locator(".bubble em", has_text="decided Owner")).to_be_visible()
            await expect(page.locator(".row .choices button")).to_have_count(0)
        await expect(one.locator("#scroller")).to_be_focused()  # not lost with the button
        await one.reload()
        await expect(one.locator(".bubble em", has_text="decided Owner")).to_be_visible()
        await expect(one.locator(".row .choices button")).to_have_count(0)


async def test_a_press_that_comes_too_late_or_not_at_all_is_told_under_the_card(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await settle_in(host)
        await hear(host, 1, "may I?")
        deny = page.locator(".row").get_by_role("button", name="Deny")
        await expect(deny).to_be_visible()
        await page.route("**/press", lambda route: route.abort())
        await deny.click()
        await expect(page.locator(".pressed")).to_contain_text("cannot be reached")
        await page.unroute("**/press")

        async def too_late(route: Route) -> None:
            said = {"text": "This was decided by Olena.", "taken": False}
            await route.fulfill(json=said)

        await page.route("**/press", too_late)
        await deny.click()
        await expect(page.locator(".pressed")).to_have_text("This was decided by Olena.")
        await page.unroute("**/press")
        await deny.click()
        await expect(page.locator(".bubble", has_text="turned away by Owner")).to_be_visible()
        await expect(page.locator(".pressed")).to_be_empty()


async def test_who_presses_create_new_writes_the_name_at_once_and_badges_count_what_waits(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await settle_in(host)
        badge = page.locator(".bar [data-section=people] .badge")
        badge_of_tab = page.locator(".tabs [href='/requests'] .badge")
        await expect(page.locator("#text")).to_be_visible()
        await expect(badge).to_have_count(0)
        await hear(host, 1, "may I?")
        await expect(badge).to_have_text("1")
        await hear(host, 2, "hello", address="-200", chat_title="Shop")
        await expect(badge).to_have_text("2")
        await page.reload()
        await expect(badge).to_have_text("2")
        await page.get_by_role("button", name="Create new").click()
        await expect(page.locator("#text")).to_be_focused()
        await page.keyboard.type("Front desk")
        await page.keyboard.press("Enter")
        await expect(page.locator(".bubble", has_text="Which company does front-desk")).to_be_visible()
        await page.locator(".row .choices").last.get_by_role("button").first.click()
        await expect(badge).to_have_text("1")
        shown = await open_tab(page, "Requests")
        await expect(badge_of_tab).to_have_text("1")
        await shown.get_by_role("button", name="Deny").click()
        await expect(badge_of_tab).to_have_count(0)
        await expect(badge).to_have_count(0)


async def test_requests_come_and_go_while_the_list_is_open(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel("hi")) as host, page_of(browser, host) as page:
        await settle_in(host)
        shown = await open_tab(page, "Requests")
        sentence = shown.locator(".sentence")
        await expect(sentence).to_have_text("Nobody waits for a decision.")
        await hear(host, 1, "first")
        await hear(host, 2, "me too", "unknown:2", sender="Roman")
        await expect(shown.locator(".request")).to_have_count(2)
        await expect(shown.locator(".request").first).to_contain_text("Taras wants to talk to main in Garden")
        await expect(shown.locator("blockquote")).to_have_text(["first", "me too"])
        await shown.get_by_role("button", name="Block").first.click()
        await agree(page, "Block Taras?", "Block")
        await expect(shown.locator(".settled")).to_contain_text("Taras (unknown:1) was blocked by Owner")
        await expect(shown.locator(".request")).to_have_count(1)
        await expect(shown.get_by_role("button", name="Allow")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(sentence).to_have_text("Nobody waits for a decision.")
        await expect(shown.locator(".settled")).to_be_focused()
        shown = await open_tab(page, "People")
        await expect(row(shown, "Taras").get_by_text("blocked", exact=True)).to_be_visible()
        await expect(row(shown, "Roman").get_by_role("combobox", name="Role in main")).to_have_value("member")


async def test_roles_are_changed_in_place_and_whoever_holds_the_machine_keeps_theirs(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await settle_in(host)
        await hear(host, 1, "hi")
        shown = await open_tab(page, "People")
        taras, owner = row(shown, "Taras"), row(shown, "Owner")
        await taras.get_by_role("combobox", name="Everywhere").select_option("Admin")
        await agree(page, "Make Taras an admin of everything?", "Make admin")
        await taras.get_by_role("combobox", name="Add to a group").select_option("main")
        await expect(taras.get_by_role("combobox", name="Role in main")).to_have_value("member")
        await taras.get_by_role("combobox", name="Role in main").select_option("Admin")
        await agree(page, "Make Taras an admin of main?", "Make admin")
        join = taras.get_by_role("combobox", name="Add to a group")
        await expect(join).to_have_count(0)  # there is no other
        question = page.get_by_role("alertdialog", name="Block Taras?")
        await taras.get_by_role("button", name="Block").click()
        await question.get_by_role("button", name="Cancel").click()
        await taras.get_by_role("button", name="Block").click()
        await question.get_by_role("button", name="Block").click()
        await expect(taras.get_by_role("button", name="Unblock")).to_be_focused()
        await expect(owner).to_contain_text("Owns the machine on which this host runs")
        await expect(owner.get_by_role("combobox")).to_have_count(0)
        await expect(owner.get_by_role("button")).to_have_count(0)
        await shown.get_by_label("Find by name").fill("TAR")
        await expect(owner).to_have_count(0)
        await expect(taras).to_be_visible()
        await taras.get_by_role("link", name="Taras").click()  # to the page of that person
        await expect(page.get_by_role("heading", name="Taras")).to_be_focused()
        await page.reload()  # as it is stored
        await expect(taras.get_by_role("combobox", name="Everywhere")).to_have_value("admin")
        await expect(taras.get_by_role("combobox", name="Role in main")).to_have_value("admin")
        await taras.get_by_role("button", name="Take the role in main away").click()
        await agree(page, "Remove Taras from main?", "Remove")
        await expect(taras.get_by_role("combobox", name="Role in main")).to_have_count(0)
        await expect(taras.get_by_role("combobox", name="Everywhere")).to_be_focused()
        shown = await open_tab(page, "Changes")
        await expect(shown.locator("tbody tr").first).to_contain_text(
            "took the role from Taras (unknown:1) in main"
        )
        await expect(shown.locator(".via").first).to_have_text("page")


async def test_what_gives_or_takes_power_happens_only_when_it_is_meant(home: Path, browser: Browser) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await settle_in(host)
        await hear(host, 1, "hi")
        taras = row(await open_tab(page, "People"), "Taras")
        everywhere = taras.get_by_role("combobox", name="Everywhere")
        doubt = page.get_by_role("alertdialog")
        await everywhere.select_option("Owner")
        await expect(doubt).to_contain_text("An owner may do everything that you may")
        await page.keyboard.press("Escape")
        await expect(everywhere).to_have_value("none")  # as it is stored
        await everywhere.select_option("Owner")
        await doubt.get_by_role("button", name="Cancel").click()
        await expect(everywhere).to_have_value("none")
        chats = await open_tab(page, "Chats")
        chat = row(chats, "Garden")
        await row(chat, "main").get_by_role("button", name="Remove").click()
        await expect(doubt).to_contain_text("The agent main no longer hears this chat")
        await doubt.get_by_role("button", name="Cancel").click()
        strangers = chat.get_by_role("combobox", name="When someone unknown writes")
        before = await strangers.input_value()
        await strangers.select_option("public")
        await expect(doubt).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(strangers).to_have_value(before)
        await page.reload()
        taras = row(await open_tab(page, "People"), "Taras")
        await expect(everywhere).to_have_value("none")
        await everywhere.select_option("Owner")
        await agree(page, "Make Taras an owner?", "Make owner")
        await expect(everywhere).to_have_value("owner")
        await everywhere.select_option("No role")
        await agree(page, "Remove Taras's role?", "Remove")
        await expect(everywhere).to_have_value("none")
        await expect(taras).not_to_have_attribute("aria-busy", "true")  # it is stored
        await expect(row(row(await open_tab(page, "Chats"), "Garden"), "main")).to_be_visible()
        shown = await open_tab(page, "Changes")
        await expect(shown.locator("tbody tr").first).to_contain_text("took the role from Taras")


async def test_what_is_refused_in_a_wiring_stays_as_written_beside_the_reason(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await settle_in(host)
        chat = row(await open_tab(page, "Chats"), "Garden")
        wiring = row(chat, "main")
        engage, pattern, order = (
            wiring.get_by_role("combobox", name="Takes up messages"),
            wiring.get_by_role("textbox", name="Pattern"),
            wiring.get_by_label("Order"),
        )
        await engage.select_option("When the words fit")
        await pattern.fill("(abc")
        await pattern.press("Enter")
        await expect(wiring.get_by_role("alert")).to_contain_text("The pattern (abc cannot be used")
        await expect(engage).to_have_value("pattern")
        await expect(pattern).to_have_value("(abc")
        await expect(pattern).to_be_focused()
        await order.fill("5000")
        await order.press("Enter")
        await expect(wiring.get_by_role("alert")).to_contain_text("a whole number from -1000 to 1000")
        await expect(order).to_have_value("5000")
        await chat.get_by_role("combobox", name="When someone unknown writes").select_option("public")
        await agree(page, 'Let everyone speak in "Garden"?', "Make public")
        await expect(wiring.get_by_role("alert")).to_have_count(0)
        for field, written in ((pattern, "(abc"), (order, "5000")):
            await expect(field).to_have_value(written)
            await expect(field).to_have_attribute("aria-invalid", "true")
        await page.get_by_role("link", name="Garden").click()  # to the page of that chat, as it is stored
        await expect(page.get_by_role("heading", name="Garden")).to_be_focused()
        await expect(engage).to_have_value("mention")
        await expect(order).to_have_value("0")
        await engage.select_option("pattern")
        await expect(pattern).to_have_value("")
        await expect(pattern).not_to_have_attribute("aria-invalid", "true")


async def test_a_wiring_is_edited_in_place(home: Path, browser: Browser) -> None:
    for name, company in (("support", "demo"), ("rival", "rival")):
        (home / "groups" / name).mkdir()
        (home / "groups" / name / "group.toml").write_text(f'company = "{company}"\n')
    async with started_host(home) as host, page_of(browser, host) as page:
        await settle_in(host)
        shown = await open_tab(page, "Chats")
        chat = row(shown, "Garden")
        wiring = row(chat, "main")
        engage, pattern = (
            wiring.get_by_role("combobox", name="Takes up messages"),
            wiring.get_by_role("textbox", name="Pattern"),
        )
        await expect(engage).to_have_value("mention")
        await expect(pattern).to_have_count(0)
        await engage.select_option("When the words fit")
        await expect(pattern).to_be_focused()
        await pattern.press("Tab")  # without a pattern nothing was changed
        await expect(engage).to_have_value("mention")
        await engage.select_option("pattern")
        await pattern.fill("^garden")
        await pattern.press("Tab")
        await wiring.get_by_role("combobox", name="Of whom").select_option("Members of the group")
        await wiring.get_by_role("combobox", name="The other messages").select_option(
            "Are kept and read later"
        )
        await wiring.get_by_label("Order").fill("5")
        await wiring.get_by_label("Order").press("Enter")
        await expect(wiring.get_by_role("alert")).to_have_count(0)
        await chat.get_by_role("combobox", name="Add an agent group").select_option("rival")
        await expect(chat.get_by_role("alert").last).to_contain_text("works for another company")
        await chat.get_by_role("combobox", name="Add an agent group").select_option("support")
        await expect(row(chat, "support")).to_be_visible()
        await row(chat, "support").get_by_role("button", name="Remove").click()
        await agree(page, 'Take support out of "Garden"?', "Remove")
        await expect(row(chat, "support")).to_have_count(0)
        await chat.get_by_role("combobox", name="When someone unknown writes").select_option("It is dropped")
        await expect(chat).not_to_have_attribute("aria-busy", "true")
        await page.reload()
        shown = await open_tab(page, "Chats")
        await expect(pattern).to_have_value("^garden")
        await expect(wiring.get_by_role("combobox", name="Of whom")).to_have_value("known")
        await expect(wiring.get_by_role("combobox", name="The other messages")).to_have_value("accumulate")
        await expect(wiring.get_by_label("Order")).to_have_value("5")
        await expect(chat.get_by_role("combobox", name="When someone unknown writes")).to_have_value("strict")
        (home / "groups" / "main" / "group.toml").unlink()
        await page.reload()
        await expect(wiring).to_contain_text("this agent group was removed")


async def test_a_new_agent_group_is_made_for_a_new_company(home: Path, browser: Browser) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        shown = await open_tab(page, "Agent groups")
        await expect(shown.locator("tbody td")).to_have_text(["main main group", "demo", "2"])
        await shown.get_by_role("button", name="Make it").click()
        await expect(shown.get_by_role("alert")).to_contain_text("A name needs at least one letter")
        await shown.get_by_label("Name", exact=True).fill("Front Desk")
        await shown.get_by_role("combobox", name="Company").select_option("A new company…")
        await shown.get_by_label("Name of the company").fill("Acme")
        await page.keyboard.press("Enter")
        await expect(shown.locator(".group-name")).to_have_text(["front-desk", "main"])
        await expect(shown.locator(".group-company")).to_have_text(["acme", "demo"])
        await expect(shown.locator(".done")).to_contain_text("The agent group front-desk was made")


async def test_what_was_not_admitted_is_listed_with_the_reason_and_more_of_it(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await settle_in(host)
        shown = await open_tab(page, "Not admitted")
        sentence = shown.locator(".sentence")
        await expect(sentence).to_have_text("Nothing was turned away.")
        for number in range(52):
            await hear(host, number, f"aside {number}", "unknown:9", sender="Olena", addressed=False)
        await page.reload()
        await expect(shown.locator("tbody tr")).to_have_count(50)
        newest = shown.locator("tbody tr").first
        for part in ("Olena", "unknown:9", "Garden", "aside 51", "it was not said to the bot"):
            await expect(newest).to_contain_text(part)
        await shown.get_by_role("button", name="Show earlier ones").click()
        await expect(shown.locator("tbody tr")).to_have_count(52)
        await expect(shown.get_by_role("button", name="Show earlier ones")).to_have_count(0)


async def test_what_would_happen_is_explained_for_each_agent(home: Path, browser: Browser) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await settle_in(host)
        shown = await open_tab(page, "What would happen?")
        await shown.get_by_role("combobox", name="Chat").select_option("Garden (unknown)")
        await shown.get_by_role("combobox", name="From").select_option("Olena (unknown:9)")
        await shown.get_by_label("Message").fill("hello")
        verdict = shown.locator(".verdict")
        for steps, told in [
            (None, "Dropped, with a record"),
            ("called", "Admitted to main"),
            ("someone new", "Held until someone decides"),
        ]:
            if steps == "called":
                await shown.get_by_label("It calls the bot").check()
            if steps == "someone new":
                await shown.get_by_role("combobox", name="From").select_option("Someone new")
            await shown.get_by_role("button", name="Explain").click()
            await expect(verdict).to_contain_text(told)
            await expect(verdict.get_by_role("listitem")).to_contain_text("main")


async def test_the_pages_are_reached_with_the_keyboard_alone_and_back_leads_back(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        await page.locator(".bar [data-section=people] a").focus()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="People")).to_be_focused()
        tabs = page.get_by_role("navigation", name="People")
        await page.keyboard.press("Tab")
        await expect(tabs.get_by_role("link", name="People")).to_be_focused()
        for _ in range(2):
            await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(tabs.get_by_role("link", name="Chats")).to_have_attribute("aria-current", "page")
        await expect(page.get_by_role("group", name="General")).to_be_visible()
        await page.reload()
        await expect(page.get_by_role("group", name="General")).to_be_visible()
        await page.go_back()
        await expect(page.get_by_role("group", name="Owner", exact=True)).to_be_visible()
        await expect(tabs.get_by_role("link", name="People")).to_have_attribute("aria-current", "page")


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("uk", "dark")])
async def test_a_phone_shows_every_tab_in_its_width_and_in_the_language_of_the_person(
    tmp_path: Path, browser: Browser, language: str, scheme: str
) -> None:
    home = made_workspace(tmp_path / "w", language=language)
    phone = {"viewport": {"width": 360, "height": 740}, "color_scheme": scheme, "has_touch": True}
    async with started_host(home) as host, page_of(browser, host, **phone) as page:
        await settle_in(host)
        await hear(host, 1, "a" * 200)
        await hear(host, 2, "aside", "unknown:9", sender="Olena", addressed=False)
        await expect(page.locator(".row .choices button")).to_have_count(3)
        await visit(page, "people")
        main = page.get_by_role("main")
        tabs = main.locator(".tabs a")
        await expect(tabs).not_to_have_count(0)
        for tab in await tabs.all():
            await tab.click()
            await expect(tab).to_have_attribute("aria-current", "page")
            await expect(main.locator(".sentence", has_text="…")).to_have_count(0)
            assert await main.evaluate("main => main.scrollWidth <= main.clientWidth")
            assert await page.evaluate("document.documentElement.scrollWidth") <= 360
            assert "console-" not in await page.locator("body").inner_text()
