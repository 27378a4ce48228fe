"""The page of the context in a real browser: files with their age, a change with its difference, the way back."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from tests.browsing import CHROMIUM, page_of, visit
from tests.documents import word_document
from tests.git_objects import make_old
from tests.git_scene import PRICING
from tests.sync_scene import SHARED, first_team

from nanoclaw.testing import made_workspace, started_host

pytestmark = [
    pytest.mark.capability("H2", "H3", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]
# A file as the browser hands it over when someone lets go of it.
_DROP = """({ name, text }) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  const dropped = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  document.querySelector(".document-place").dispatchEvent(dropped);
}"""
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


async def test_a_file_is_edited_its_difference_approved_and_an_earlier_version_brought_back(
    tmp_path: Path, browser: Browser
) -> None:
    home = made_workspace(tmp_path / "w")
    place = home / "companies" / "demo" / "context" / "product" / "pricing.md"
    before = place.read_text("utf-8")
    async with started_host(home) as host, page_of(browser, host, base_url=host.url) as page:
        await visit(page, "context")
        shown = page.get_by_role("main")
        await expect(shown.locator(".context-file")).to_have_count(17)
        await shown.get_by_role("link", name="Pricing").press("Enter")
        await expect(shown.locator(".context-text h1")).to_have_text("Pricing")
        await shown.get_by_role("link", name="Edit").click()
        text = shown.get_by_label("Text (Markdown)")
        await expect(text).to_have_value(before)
        await text.fill(before.replace("128", "139").replace("EUR 30", "EUR 31"))
        await shown.get_by_label("What changes, in one line").fill("The office plan costs more")
        await shown.get_by_role("button", name="Show the difference").click()
        card = shown.get_by_role("group", name="The office plan costs more")
        await expect(card.locator(".diff .added").first).to_contain_text("EUR 139")
        assert place.read_text("utf-8") == before
        await card.get_by_role("link", name="Edit").click()
        await text.fill(before.replace("128", "139"))
        await shown.get_by_role("button", name="Show the difference").click()
        await expect(shown.get_by_role("group")).to_have_count(1)
        await card.get_by_role("button", name="Yes, write it").click()
        await expect(shown.locator(".settled")).to_contain_text("Written")
        await expect(card).to_have_count(0)
        await expect(shown.locator(".context-text")).to_contain_text("EUR 139 per month")
        assert place.read_text("utf-8") == before.replace("128", "139")

        await shown.get_by_role("link", name="History").click()
        await expect(shown.get_by_role("row")).to_have_count(3)
        await expect(shown.locator(".diff .added").first).to_contain_text("EUR 139")
        await shown.get_by_role("button", name="Bring this version back").click()
        again = shown.get_by_role("group", name="as it was in version")
        await again.get_by_role("button", name="Cancel").click()
        await expect(shown.locator(".settled")).to_have_text("Cancelled. Nothing has changed.")


async def test_on_a_phone_in_ukrainian_the_files_fit_and_the_inbox_shows_the_difference(
    tmp_path: Path, browser: Browser
) -> None:
    home = made_workspace(tmp_path / "w", language="uk", timezone="Europe/Kyiv")
    async with started_host(home) as host, page_of(browser, host, base_url=host.url, **PHONE) as page:
        await visit(page, "context")
        shown = page.get_by_role("main")
        await expect(shown.locator(".context-file")).to_have_count(17)
        # The workspace may have been made before midnight.
        changed = re.compile("змінено (сьогодні|вчора) · щокварталу")
        await expect(shown.locator(".context-file").nth(4)).to_contain_text(changed)
        await expect(shown.locator(".stale")).to_have_count(0)
        make_old(home)
        await page.reload()
        await expect(shown.locator(".context-file .stale")).to_have_count(17)
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await shown.get_by_role("link", name="Ціни").click()
        await shown.get_by_role("link", name="Редагувати").click()
        await shown.get_by_label("Текст (Markdown)").fill("# Ціни\n\nУсе безкоштовно.\n")
        await shown.get_by_role("button", name="Показати різницю").click()
        await expect(shown.locator(".diff .added").last).to_contain_text("Усе безкоштовно.")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await visit(page, "inbox")
        difference = shown.get_by_role("region", name="Контекст")
        await expect(difference).to_be_visible()  # a yes is about what is seen: nothing has to be unfolded
        await expect(difference).to_contain_text("+Усе безкоштовно.")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await shown.get_by_role("button", name="Показати diff").click()
        await expect(shown.locator(".question .done")).to_contain_text("+Усе безкоштовно.")
        await shown.get_by_role("button", name="Скасувати").click()
        await expect(shown.locator(".question")).to_have_count(0)


async def test_a_document_is_chosen_or_dropped_and_what_it_changes_is_proposed(
    tmp_path: Path, browser: Browser
) -> None:
    home = made_workspace(tmp_path / "w", language="uk", timezone="Europe/Kyiv")
    report = tmp_path / "звіт.docx"
    report.write_bytes(
        word_document(Тренди="Вівсяне молоко продається вдвічі краще.", Відгуки="Надто гірко.")
    )
    async with started_host(home) as host, page_of(browser, host, base_url=host.url, **PHONE) as page:
        await visit(page, "context")
        place = page.locator(".document-place")
        await page.get_by_label("Вибрати документ").set_input_files(report)
        await expect(place.get_by_role("link", name="market/intelligence")).to_be_visible()
        await expect(place.get_by_role("link", name="audience/voc")).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await page.evaluate(_DROP, {"name": "порожній.pdf", "text": " "})
        await expect(place.locator(".problem")).to_have_text("порожній.pdf: файл порожній.")
        await page.evaluate(_DROP, {"name": "голос.md", "text": "# Голос бренду\n\nМи шепочемо.\n"})
        await place.get_by_role("link", name="brand/voice").click()
        shown = page.get_by_role("main")
        await expect(shown.locator(".diff .added").last).to_contain_text("Ми шепочемо.")
        await shown.get_by_role("button", name="Так, записати").click()
        await expect(shown.locator(".settled")).to_contain_text("Записано")
    written = home / "companies" / "demo" / "context" / "brand" / "voice.md"
    assert "Ми шепочемо." in written.read_text("utf-8")


@pytest.mark.capability("B6")
async def test_a_shared_workspace_meets_its_remote_when_someone_presses_the_button(
    tmp_path: Path, browser: Browser
) -> None:
    team = first_team(made_workspace(tmp_path / "w"), tmp_path)
    async with (
        started_host(team.home, memory=SHARED) as host,
        page_of(browser, host, base_url=host.url, **PHONE) as page,
    ):
        await visit(page, "context")
        place = page.get_by_role("region", name="Shared through git")
        await expect(place).to_contain_text("Last met")
        pricing = team.mate / PRICING
        pricing.write_text(pricing.read_text("utf-8").replace("EUR 11", "EUR 15"), "utf-8")
        team.mate_pushes()
        await place.get_by_role("button", name="Sync now").click()
        await expect(place.get_by_role("term")).to_have_text("Came")
        await expect(place.get_by_role("definition")).to_contain_text(PRICING)
        assert "EUR 15" in (team.home / PRICING).read_text("utf-8")
        await place.get_by_role("button", name="Sync now").click()
        await expect(place).to_contain_text("Nothing new on either side")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        team.remote.rename(tmp_path / "gone")
        await place.get_by_role("button", name="Sync now").click()
        await expect(place.get_by_role("alert")).to_contain_text('The git remote "origin" said')
