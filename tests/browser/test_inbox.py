"""The inbox in a real browser: questions are decided, looked back on, and permits taken back."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from playwright.async_api import Browser, Locator, Page, expect
from tests.browsing import CHROMIUM, as_owner, page_of, visit
from tests.flows.test_console_inbox import ask_many
from tests.permits import a_permit

from nanoclaw.domain.people import Role
from nanoclaw.durable import people, permits, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions
from nanoclaw.host.host import Host
from nanoclaw.testing import made_workspace, started_host

pytestmark = [
    pytest.mark.capability("E3", "E8", "E10", "E11", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

NOW_OR_LATER = [
    {"id": "now", "label": "Now", "description": "With a short break"},
    {"id": "later", "label": "Later"},
]


async def ask(page: Page, question: str, **more: object) -> Any:
    """As a program of this machine does, with the page's own right to it."""
    answer = await page.request.post(
        "/api/questions", data={"question": question, **more}, headers=await as_owner(page)
    )
    assert answer.ok, await answer.text()
    return await answer.json()


async def decide(page: Page, question: Any, **given: str) -> None:
    path = f"/api/questions/{question['id']}/decide"
    assert (await page.request.post(path, data=given, headers=await as_owner(page))).ok


async def read(page: Page, path: str) -> Any:
    return await (await page.request.get(path, headers=await as_owner(page))).json()


async def let_run_out(host: Host, question: Any) -> None:
    def story(tx: Tx) -> None:
        mine = human_interactions.c.id == question["id"]
        row = tx.execute(sa.select(human_interactions).where(mine)).one()
        passed = row.deadline_at - now()
        earlier = {"created_at": row.created_at - passed, "deadline_at": row.deadline_at - passed}
        tx.execute(sa.update(human_interactions).where(mine).values(**earlier, reminded=2))
        work.due(tx, work.QUESTION, question["id"], now())

    await host.store.write(story)
    host.engine.kick(work.QUESTION, question["id"])


async def open_tab(page: Page, name: str) -> Locator:
    """The page that the tab leads to."""
    await visit(page, "inbox")
    tabs = page.get_by_role("navigation", name="Inbox")
    tab = tabs.get_by_role("link", name=name, exact=True)
    await tab.click()
    await expect(tab).to_have_attribute("aria-current", "page")
    shown = page.get_by_role("main")
    await expect(shown.get_by_text("Looking it up…")).to_have_count(0)
    return shown


def card(shown: Locator, question: str) -> Locator:
    return shown.get_by_role("group", name=question, exact=True)


async def test_what_does_not_fit_on_a_page_is_counted_and_can_be_shown(home: Path, browser: Browser) -> None:
    async with started_host(home) as host, page_of(browser, host, base_url=host.url) as page:
        made = await host.store.write(lambda tx: ask_many(tx, 103))
        await ask(page, "The last one?")
        await expect(page.locator(".bar [data-section=inbox] .badge")).to_have_text("104")
        shown = await open_tab(page, "Questions")
        await expect(shown.locator(".question")).to_have_count(100)
        await shown.locator(".more").click()
        await expect(shown.locator(".question")).to_have_count(104)
        await expect(shown.locator(".more")).to_be_hidden()
        await expect(shown.locator(".question").nth(100).locator(".option button").first).to_be_focused()
        await expect(shown.locator(".settled")).to_have_text("")
        await decide(page, {"id": made[102]}, option="reject")
        await expect(shown.locator(".question")).to_have_count(103)
        await expect(card(shown, "The last one?")).to_be_visible()


WATCH_HELD = """() => {
  window.wasHeld = false;
  new MutationObserver((changes) => {
    window.wasHeld ||= changes.some(({ target }) => target.ariaDisabled === "true");
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["aria-disabled"] });
}"""
CLICK_WHILE_HELD = """(button) => {
  button.ariaDisabled = "true";
  button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 2 }));
  button.ariaDisabled = null;
}"""


async def test_a_second_click_does_not_decide_what_has_come_under_the_pointer(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host, base_url=host.url) as page:
        await ask(page, "Send the newsletter?", options=NOW_OR_LATER)
        dropped = await ask(page, "Drop the customers?", options=NOW_OR_LATER, risk="destructive")
        shown = await open_tab(page, "Questions")
        await expect(shown.locator(".question")).to_have_count(2)
        await page.evaluate(WATCH_HELD)
        await card(shown, "Send the newsletter?").get_by_role("button", name="Now").click()
        await expect(shown.locator(".question")).to_have_count(1)
        await page.wait_for_function("window.wasHeld")
        button = card(shown, "Drop the customers?").get_by_role("button", name="Now")
        await button.evaluate(CLICK_WHILE_HELD)
        await page.reload()
        assert (await read(page, f"/api/questions/{dropped['id']}"))["status"] == "pending"
        shown = await open_tab(page, "Questions")
        await card(shown, "Drop the customers?").get_by_role("button", name="Later").click()
        await expect(shown.locator(".question")).to_have_count(0)


async def test_what_is_decided_on_one_page_goes_at_once_from_the_inbox_and_the_room_of_another(
    home: Path, browser: Browser
) -> None:
    async with (
        started_host(home) as host,
        page_of(browser, host, base_url=host.url) as one,
        page_of(browser, host, base_url=host.url) as two,
    ):
        badge = two.locator(".bar [data-section=inbox] .badge")
        await expect(two.locator("#text")).to_be_visible()
        await expect(badge).to_have_count(0)
        here, there = await open_tab(one, "Questions"), await open_tab(two, "Questions")
        await expect(here.locator(".sentence")).to_contain_text("Nothing waits for you")
        context = {"version": "2.1 <b>bold</b>"}
        await ask(
            one,
            "Deploy **it** <img src=x onerror=alert(1)>?",
            options=NOW_OR_LATER,
            context=context,
            default_action="later",
        )
        title = "Deploy it <img src=x onerror=alert(1)>?"
        for shown in (here, there):
            await expect(card(shown, title).locator("strong")).to_have_text("it")
            await expect(card(shown, title).locator("img")).to_have_count(0)
            await expect(card(shown, title).locator(".deadline")).to_contain_text("left, then: Later")
        await expect(badge).to_have_text("1")
        folded = card(here, title).get_by_role("region", name="Context")
        await expect(folded).to_be_hidden()
        await card(here, title).get_by_text("Context").click()
        await expect(folded).to_contain_text("2.1 <b>bold</b>")
        await expect(card(here, title).get_by_role("button", name="Now")).to_have_accessible_description(
            "With a short break"
        )
        await card(here, title).get_by_role("button", name="Now").focus()
        await one.keyboard.press("Enter")
        await expect(here.locator(".settled")).to_contain_text("Noted: Now")
        await expect(here.locator(".settled")).to_be_focused()
        await expect(card(there, title)).to_have_count(0)
        await expect(there.locator(".settled")).to_contain_text("decided by Owner: Now")
        await expect(badge).to_have_count(0)
        await visit(two, "chats")
        await expect(two.locator(".bubble em", has_text="Owner")).to_be_visible()
        await expect(two.locator(".row .choices button")).to_have_count(0)


async def test_words_are_answered_and_reviewed_with_and_several_must_agree(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host, base_url=host.url) as page:

        def story(tx: Tx) -> None:
            for number, name in enumerate(("Olena", "Roman")):
                people.add_person(tx, handle=f"telegram:{number}", name=name, role=Role.OWNER, at=now())

        await host.store.write(story)
        name = await ask(page, "Which name?", kind="input")
        advice = await ask(page, "How to go on?", kind="escalation", options=NOW_OR_LATER)
        both = await ask(page, "Delete all?", risk="destructive", default_action="reject", votes=2)
        shown = await open_tab(page, "Questions")
        words = card(shown, "Which name?").get_by_role("textbox", name="Your words")
        await card(shown, "Which name?").get_by_role("button", name="Answer").click()
        await expect(card(shown, "Which name?").get_by_role("alert")).to_have_text("Write your answer first.")
        await expect(words).to_be_focused()
        await words.fill("Калина")
        await ask(page, "Meanwhile?")  # the list is redrawn, and what is being written stays
        await expect(card(shown, "Meanwhile?")).to_be_visible()
        await expect(words).to_have_value("Калина")
        await card(shown, "Which name?").get_by_role("button", name="Answer").click()
        await expect(card(shown, "Which name?")).to_have_count(0)
        asked = card(shown, "How to go on?")
        await asked.get_by_role("textbox").fill("but slowly")
        await asked.get_by_role("button", name="Now").click()
        await expect(asked).to_have_count(0)
        votes = card(shown, "Delete all?")
        await expect(votes.locator(".mark")).to_have_text("destroys something")
        await votes.get_by_role("button", name="Approve").click()
        await expect(votes.locator(".votes")).to_contain_text("2 people have to agree. So far: Owner:")
        await expect(votes.locator(".done")).to_contain_text("1 of 2")
        await card(shown, "Meanwhile?").get_by_role("button", name="Take back").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Take back").click()
        await expect(card(shown, "Meanwhile?")).to_have_count(0)
        await expect(card(shown, "Delete all?")).to_be_visible()
        for question, chosen, said in ((name, "Калина", "Калина"), (advice, "now", "but slowly")):
            kept = await (
                await page.request.get(f"/api/questions/{question['id']}", headers=await as_owner(page))
            ).json()
            assert [kept["chosen"], kept["user_input"], kept["via"]] == [chosen, said, "web"]
        assert (
            await (
                await page.request.get(f"/api/questions/{both['id']}", headers=await as_owner(page))
            ).json()
        )["status"] == "pending"


async def test_a_question_is_decided_at_its_own_address_and_stays_there_as_it_was_decided(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host, base_url=host.url) as page:
        asked = await ask(page, "Which **name**?", kind="input")
        await page.goto(f"/inbox/{asked['id']}")
        shown = page.get_by_role("main")
        await expect(shown.get_by_role("heading", name="Which name?")).to_be_visible()
        words = card(shown, "Which name?").get_by_role("textbox", name="Your words")
        await words.fill("Калина")
        await decide(page, await ask(page, "Meanwhile?"), option="approve")  # news, which take nothing away
        await expect(page.locator(".bar [data-section=inbox] .badge")).to_have_text("1")
        await expect(words).to_have_value("Калина")
        await card(shown, "Which name?").get_by_role("button", name="Answer").click()
        await expect(shown.locator(".settled")).to_contain_text("Which name?")
        await expect(shown.locator(".settled")).to_be_focused()
        await expect(shown.locator(".outcome")).to_contain_text("decided by Owner: Калина")
        await page.reload()
        await expect(shown.locator(".outcome")).to_contain_text("decided by Owner: Калина")
        await expect(shown.get_by_role("button")).to_have_count(0)
        await page.goto("/inbox/nothing")
        await expect(shown.locator(".sentence")).to_contain_text("nothing")


async def test_a_card_in_a_room_is_pressed_and_says_when_it_is_too_late(home: Path, browser: Browser) -> None:
    async with started_host(home) as host, page_of(browser, host, base_url=host.url) as page:
        await ask(page, "Deploy?", options=NOW_OR_LATER)
        await page.locator(".row .choices").get_by_role("button", name="Later").click()
        await expect(page.locator(".bubble em", has_text="Owner")).to_be_visible()
        await expect(page.locator(".row .choices button")).to_have_count(0)
        late = await ask(page, "And now?")
        await expect(page.locator(".row .choices button")).to_have_count(2)
        await page.route("**/api/rooms/*/live**", lambda route: route.abort())  # and so hears nothing
        await page.reload()
        await expect(page.locator(".row .choices button")).to_have_count(2)
        await decide(page, late, option="reject")
        await page.locator(".row .choices").get_by_role("button", name="Approve").click()
        await expect(page.locator(".pressed.problem")).to_contain_text("Owner decided this already")


async def test_the_history_opens_to_exactly_what_was_decided_on_and_its_figures_are_drawn(
    home: Path, browser: Browser
) -> None:
    async with (
        started_host(home, questions={"grace_seconds": 0, "hold_minutes": 0}) as host,
        page_of(browser, host, base_url=host.url) as page,
    ):
        for skill in ("letters", "releases"):
            await decide(page, await ask(page, f"Send the {skill}?", skill=skill), option="approve")
        over = await ask(page, "Anyone?", default_action="reject", skill="letters")
        await let_run_out(host, over)
        shown = await open_tab(page, "Decisions")
        rows = shown.locator("tr.decision")
        await expect(rows).to_have_count(3)
        await expect(rows.nth(0)).to_contain_text("time-out")
        await expect(rows.nth(1)).to_contain_text("releases")
        opens = rows.nth(1).get_by_role("button", name="Send the releases?")
        await opens.click()
        await expect(opens).to_have_attribute("aria-expanded", "true")
        await expect(shown.locator(".payload pre")).to_contain_text('"question": "Send the releases?"')
        kept = (await read(page, "/api/decisions"))["decisions"][1]
        await expect(shown.locator(".hash")).to_have_text(kept["payload_hash"])
        await page.get_by_role("link", name=kept["id"]).click()  # and it has an address of its own
        await expect(page.get_by_role("heading", name="Send the releases?")).to_be_focused()
        await page.reload()
        await expect(shown.locator(".payload pre")).to_contain_text('"question": "Send the releases?"')
        await expect(shown.locator(".outcome")).to_contain_text("decided by Owner")
        await open_tab(page, "Figures")
        await expect(shown.locator(".summary")).to_contain_text("Ended: 3")
        await expect(shown.locator(".summary")).to_contain_text("Time-outs: 33%")
        plot = shown.get_by_role("img", name="Time-outs, by skill")
        await expect(plot).to_have_attribute(
            "aria-label", "Time-outs, by skill. letters, time-outs: 50%; releases, time-outs: 0%"
        )
        half = await plot.locator("rect").first.bounding_box()
        assert half is not None
        assert half["width"] > 50
        await shown.get_by_text("The same as a table").click()
        await expect(shown.locator("tbody tr")).to_have_count(4)  # all, one kind, two skills
        await open_tab(page, "Decisions")
        await opens.click()
        # A program waits no longer; an agent would be woken.
        await expect(rows.nth(0)).to_contain_text("time-out")
        await expect(rows.nth(0).get_by_role("button", name="Ask again")).to_have_count(0)
        [room, *_] = (await read(page, "/api/rooms"))["rooms"]
        said = {"text": "? Is anyone there? | yes | no", "client_id": "c"}
        await page.request.post(f"/api/rooms/{room['id']}/messages", data=said, headers=await as_owner(page))
        badge = shown.locator(".tabs .badge")
        await expect(badge).to_have_text("1")
        [asked] = (await read(page, "/api/questions"))["questions"]
        await let_run_out(host, asked)
        await expect(rows).to_have_count(4)  # it comes while one looks, and what is open stays open
        await rows.nth(0).get_by_role("button", name="Ask again").click()
        await expect(rows.nth(0)).to_contain_text("asked again")
        await expect(badge).to_have_text("1")
        [again] = (await read(page, "/api/questions"))["questions"]
        await decide(page, again, option="yes")
        await expect(rows).to_have_count(5)
        await expect(shown.locator(".payload pre")).to_be_visible()


async def test_permits_are_revoked_by_keyboard_on_a_phone_in_ukrainian(
    tmp_path: Path, browser: Browser
) -> None:
    home = made_workspace(tmp_path / "w", language="uk")
    phone = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    async with started_host(home) as host, page_of(browser, host, base_url=host.url, **phone) as page:
        question = await ask(page, "Можна?")
        given = a_permit(question_id=question["id"])
        await host.store.write(lambda tx: permits.grant(tx, given))
        await visit(page, "inbox")
        await expect(page.get_by_role("group", name="Можна?")).to_contain_text("Залишилося")
        await page.get_by_role("link", name="Дозволи").focus()
        await page.keyboard.press("Enter")
        await expect(page.locator(".permit")).to_contain_text("завжди")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert await page.get_by_role("main").evaluate("main => main.scrollWidth <= main.clientWidth")
        await page.get_by_role("button", name="Скасувати").focus()
        await page.keyboard.press("Enter")
        await expect(page.locator(".settled")).to_contain_text("скасовано")
        await expect(page.locator(".permit")).to_have_count(0)
        assert (await read(page, "/api/permits")) == {"permits": []}
