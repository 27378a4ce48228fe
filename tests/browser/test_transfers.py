"""The page of transfers in a real browser: taken from a room, looked at, released, brought back, adopted and undone."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browsing import CHROMIUM, page_of, visit
from tests.task_agent import TaskAgent
from tests.transfers_at_hand import ANALYSIS, talked

pytestmark = [
    pytest.mark.capability("B1", "B4", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

PHONE = {"viewport": {"width": 390, "height": 844}}
_DROP = """([target, name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name, { type: "text/markdown" }));
  target.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


async def test_a_conversation_leaves_from_its_room_and_what_came_back_is_adopted_and_undone(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        talked(tmp_path / "w") as here,
        page_of(browser, here.host, base_url=here.host.url, **PHONE) as page,
    ):
        await page.goto(f"chats/{await here.room()}")
        await page.get_by_role("link", name="Take elsewhere").click()
        form = page.get_by_role("dialog")
        await expect(form.get_by_label("Conversation")).to_have_value(await here.room())
        await form.get_by_label("To").select_option("manual")
        await expect(form).to_contain_text("You get a zip")
        await form.get_by_label("What for").fill("Compare <i>suppliers</i>")
        await form.get_by_role("button", name="Pack it").click()

        await expect(page.get_by_role("heading", level=1)).to_have_text("Compare <i>suppliers</i>")
        status = page.locator(".run-status")
        await expect(status).to_contain_text("waits for your decision")
        await expect(page.locator(".transfer-steps [aria-current=step]")).to_have_text("released")
        await expect(page.locator(".transfer-files")).to_contain_text("transfer.md")
        await expect(page.locator("a[download]")).to_have_count(0)
        await no_wider(page)
        await page.get_by_role("button", name="Let it leave").click()
        sure = page.get_by_role("dialog")
        await expect(sure.locator(".transfer-removed")).to_contain_text("phone number")
        await sure.get_by_role("button", name="Let it leave").click()
        await expect(status).to_contain_text("waits for the result")
        await expect(page.locator(".transfer-steps [data-state=done]")).to_have_count(4)
        async with page.expect_download() as saved:
            await page.get_by_role("link", name="Download").click()
        identity = (await saved.value).suggested_filename.removesuffix(".zip")

        # Its room says where it is, and leads back here.
        await page.goto(f"chats/{await here.room()}")
        banner = page.get_by_role("region", name="Taken elsewhere")
        await expect(banner).to_contain_text("In a zip file since")
        await expect(banner).to_contain_text("Its result is awaited until")
        await no_wider(page)
        await banner.get_by_role("link", name="It is back").click()
        place = await page.locator(".document-place").element_handle()
        await page.evaluate(_DROP, [place, "what came back.md", ANALYSIS.format(id=identity)])
        found = page.get_by_role("group", name="what came back.md")
        await expect(found).to_contain_text("Supplier Ovid delivers within 9 days")
        await expect(found).to_contain_text("The <b>old</b> contract ends in March")
        assert all(await found.locator(".found-source").all_text_contents())
        await expect(status).to_contain_text("the result is back")
        await expect(found.get_by_role("link", name="product/pricing")).to_have_attribute(
            "href", "/context/product/pricing?company=demo"
        )
        await no_wider(page)

        await found.get_by_role("checkbox", name="Order from Ovid").check()
        await found.get_by_role("button", name="Adopt the ticked ones").click()
        await expect(page.locator(".settled")).to_have_text("Adopted: 1")
        await expect(found.locator("li .mark")).to_have_text(["adopted", "left"])
        await found.get_by_role("button", name="Undo").click()
        doubt = page.get_by_role("alertdialog")
        await expect(doubt).to_contain_text("Take back everything from this document?")
        await doubt.get_by_role("button", name="Undo").click()
        await expect(found.locator(".pipe-state")).to_have_text("undone")
        await expect(found.get_by_role("button", name="Undo")).to_have_count(0)


async def test_open_ones_stand_first_and_a_document_is_given_to_the_one_it_belongs_to(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        talked(tmp_path / "w") as here,
        page_of(browser, here.host, base_url=here.host.url) as page,
    ):
        await visit(page, "transfers")
        await expect(page.get_by_role("status").first).to_contain_text("Nothing is away")
        await expect(page.locator(".document-place")).to_have_count(0)
        prices, places = await here.away(purpose="prices"), await here.away(purpose="places")
        cards = page.get_by_role("list", name="Open transfers").locator(".run-card")
        await expect(cards).to_have_count(2)  # without reloading the page
        text = ANALYSIS.replace("Transfer ID: {id}\n", "")
        report = tmp_path / "report.md"
        report.write_text(text, "utf-8")
        await page.locator(".document-place input").set_input_files(report)
        waiting = page.get_by_role("group", name="report.md")
        await waiting.get_by_label("Transfer").select_option(prices["id"])
        await waiting.get_by_role("button", name="It belongs there").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("prices")
        await expect(page.locator(".run-status")).to_contain_text("the result is back")

        await visit(page, "transfers")
        await cards.get_by_role("link", name="places").click()
        await page.get_by_role("button", name="Give up").click()
        doubt = page.get_by_role("alertdialog")
        await expect(doubt).to_contain_text("Nothing that comes back will be taken in")
        await doubt.get_by_role("button", name="Give up").click()
        await expect(page.locator(".transfer-steps [data-state=off]")).to_have_text("result back")
        assert (await here.get(f"transfers/{places['id']}"))["state"] == "cancelled"
        await visit(page, "transfers")
        earlier = page.get_by_role("table", name="Earlier")
        await expect(earlier.locator("tbody tr")).to_have_count(2)
        await expect(page.get_by_role("status").first).to_contain_text("Nothing is away")

        # In its room it is taken back in two taps.
        await visit(page, "chats")
        banner = page.get_by_role("region", name="Taken elsewhere")
        await expect(page.get_by_role("textbox")).to_be_visible()
        await expect(banner).to_have_count(0)
        menus = await here.away(purpose="menus", target="claude-ai")
        await expect(banner).to_contain_text("At Claude.ai since")
        await banner.get_by_role("button", name="Take it back").click()
        await doubt.get_by_role("button", name="Take it back").click()
        await expect(banner).to_have_count(0)
        assert (await here.get(f"transfers/{menus['id']}"))["state"] == "cancelled"
        await visit(page, "transfers")

        for purpose in ("shops", "names", "fairs"):
            await here.packed(purpose=purpose)
        await page.get_by_role("searchbox", name="Find by words").fill("PRI")
        await expect(earlier.locator("tbody tr")).to_have_count(1)
        await expect(cards).to_have_count(0)


async def test_what_stays_is_ticked_packed_again_and_decided_about_once_more(
    tmp_path: Path, browser: Browser
) -> None:
    agent = TaskAgent()
    agent.does("write them", agent.call("bash", command="echo KEY=open > .env; echo plan > plan.md"), "Done.")
    async with (
        talked(tmp_path / "w", "write them", model=agent) as here,
        page_of(browser, here.host, base_url=here.host.url, **PHONE) as page,
    ):
        row = await here.packed()
        await page.goto(f"transfers/{row['id']}")
        await expect(page.locator(".transfer-files")).not_to_contain_text(".env")
        await expect(page.get_by_text("a secret by its name")).to_be_visible()
        await no_wider(page)
        await page.get_by_role("checkbox", name=".env").check()
        await page.get_by_role("button", name="Take the ticked ones along").click()
        await expect(page.locator(".settled")).to_contain_text("packed again with what you picked")
        await expect(page.locator(".transfer-files")).to_contain_text(".env")
        await expect(page.locator(".transfer-removed")).to_contain_text("Leaves with the secrets in it")
        await page.get_by_role("button", name="Let it leave").click()
        sure = page.get_by_role("dialog")
        await expect(sure).to_contain_text("Leaves with the secrets in it")
        await sure.get_by_role("button", name="Let it leave").click()
        await expect(page.locator(".run-status")).to_contain_text("waits for the result")


async def no_wider(page: Page) -> None:
    """Than the phone."""
    assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
