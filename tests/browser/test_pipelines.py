"""The page of pipelines in a real browser: runs are watched, decided, repeated and compared, a template is edited."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, expect
from tests.browsing import CHROMIUM, page_of, visit
from tests.flows.pipeline_scene import PipelineScene, pipeline_scene

from nanoclaw.testing import made_workspace

pytestmark = [
    pytest.mark.capability("D1", "D3", "D5", "D6", "O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

PHONE = {"viewport": {"width": 390, "height": 844}}
LAUNCH = """# Product launch

What we do when something new is ready.

## Trigger: /launch
## Steps:
1. topic-researcher | gate: confidence>0.5
2. seo-analyst | with: 1
3. copywriter | gate: words>3
4. HITL | type: approval | timeout: 15m
5. editor
"""


@asynccontextmanager
async def stage(tmp_path: Path) -> AsyncIterator[PipelineScene]:
    home = made_workspace(tmp_path / "w")
    (home / "foundation" / "process_templates" / "launch.md").write_text(LAUNCH, "utf-8")
    async with pipeline_scene(home) as scene:
        yield scene


async def begin(page: Page, subject: str) -> None:
    """As a person does it: from the list of templates to the page of the new run."""
    await visit(page, "pipelines")
    template = page.get_by_role("group", name="Product launch")
    await template.get_by_role("link", name="Start").click()
    form = page.get_by_role("form", name="Start")
    await expect(form.get_by_role("status")).to_contain_text("About $")
    await form.get_by_label("What is it about?").fill(subject)
    await form.get_by_role("button", name="Start the run").click()
    await expect(page.locator(".settled")).to_have_text("The run has started.")


def node(page: Page, role: str) -> Locator:
    return page.locator(".picture .node", has_text=role)


async def test_a_run_is_watched_on_two_screens_decided_on_one_and_cancelled(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        stage(tmp_path) as scene,
        page_of(browser, scene.host, base_url=scene.host.url) as page,
        page_of(browser, scene.host, base_url=scene.host.url, **PHONE) as phone,
    ):
        scene.agent.plays(3, {"text": "# Otters\n\nThey *hold hands* while they sleep.", "words": 900})
        scene.agent.holds(3)
        await begin(page, "Otters & <b>rivers</b>")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Otters & <b>rivers</b>")
        await expect(node(page, "topic-researcher")).to_have_attribute("data-state", "done")
        await expect(node(page, "topic-researcher")).to_contain_text("confidence>0.5: 1 ✓")
        await expect(node(page, "copywriter")).to_have_attribute("data-state", "running")
        await visit(phone, "pipelines")
        await phone.get_by_role("link", name="Runs", exact=True).first.click()
        mine = phone.get_by_role("group", name="Otters & <b>rivers</b>")
        await expect(mine).to_contain_text("Steps done: 2 of 5")
        await mine.get_by_role("link").first.click()

        scene.agent.lets_go(3)
        card = phone.locator(".question")
        await expect(card).to_contain_text("step 4 of 5")
        await node(page, "copywriter").click()
        made = page.get_by_role("region", name="Output")
        await expect(made.locator("em")).to_have_text("hold hands")
        await expect(page.locator(".step-warning")).to_contain_text("words: said 900, counted")
        await card.get_by_label("Your words").fill("Shorter, please")
        await card.get_by_role("button", name="Change").click()
        await expect(page.locator(".step .facts")).to_contain_text("Shorter, please")
        await expect(card).to_contain_text("step 4 of 5")
        await card.get_by_role("button", name="Approve").click()
        for each in (page, phone):
            await expect(each.locator(".run-summary")).to_have_attribute("data-state", "done")
            await expect(each.locator(".run-status")).to_contain_text("5 of 5")
        assert await phone.evaluate("document.documentElement.scrollWidth") <= 390

        scene.agent.holds(1)
        await begin(page, "Beavers")
        await expect(node(page, "topic-researcher")).to_have_attribute("data-state", "running")
        await page.get_by_role("button", name="Cancel the run").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Cancel the run").click()
        await expect(page.locator(".run-summary")).to_have_attribute("data-state", "cancelled")
        scene.agent.lets_go(1)


async def test_a_template_is_edited_while_its_picture_and_mistakes_follow(
    tmp_path: Path, browser: Browser
) -> None:
    async with stage(tmp_path) as scene, page_of(browser, scene.host, base_url=scene.host.url) as page:
        file = scene.host.home / "foundation" / "process_templates" / "launch.md"
        await visit(page, "pipelines")
        await page.get_by_role("group", name="Product launch").get_by_role("link", name="Edit").click()
        text, verdict = page.get_by_label("Text of the template"), page.locator("#editor-verdict")
        await expect(verdict).to_have_text("No mistakes. Steps: 5")
        await text.fill(LAUNCH.replace("5. editor", "5. editr\n6. repurposer"))
        await expect(verdict).to_have_text("Mistakes: 1")
        await expect(page.locator(".picture .node")).to_have_count(6)
        await expect(page.locator(".gutter .wrong")).to_have_text("11")
        await page.get_by_role("button", name="Line 11").click()
        chosen = "field => field.value.slice(field.selectionStart, field.selectionEnd) === '5. editr'"
        await page.wait_for_function(chosen, arg=await text.element_handle())
        await page.keyboard.type("5. editor")
        await expect(verdict).to_have_text("No mistakes. Steps: 6")

        file.write_text(f"{LAUNCH}<!-- by hand -->\n", "utf-8")  # meanwhile
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("alert").filter(has_text="Somebody changed")).to_be_visible()
        await page.get_by_role("button", name="Take the file as it is now").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Take the file").click()
        await expect(text).to_have_value(f"{LAUNCH}<!-- by hand -->\n")
        await text.fill(LAUNCH.replace("Product launch", "Launch day"))
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator(".settled")).to_have_text("launch is saved. The next run uses it.")
        await expect(page.get_by_role("group", name="Launch day")).to_be_visible()
        assert file.read_text("utf-8") == LAUNCH.replace("Product launch", "Launch day")

        await page.get_by_role("link", name="New template").click()
        await page.get_by_label("Begin with").select_option("launch")
        copy = LAUNCH.replace("Product launch", "Launch day").replace("/launch", "/my-launch")
        await expect(text).to_have_value(copy)
        await page.get_by_label("Name of the file").fill("Mine!")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("alert").filter(has_text="cannot be the name")).to_be_visible()
        await page.get_by_label("Name of the file").fill("mine")
        await page.go_back()  # by mistake
        await page.get_by_role("link", name="New template").click()
        await expect(page.get_by_label("Name of the file")).to_have_value("mine")
        await text.fill(f"{await text.input_value()}6. nobody\n")
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator(".settled")).to_contain_text("has mistakes")
        await expect(page.get_by_role("group", name="mine")).to_contain_text('There is no skill "nobody"')


async def test_a_run_is_repeated_from_a_step_with_another_input_and_compared_with_the_old_one(
    tmp_path: Path, browser: Browser
) -> None:
    async with stage(tmp_path) as scene, page_of(browser, scene.host, base_url=scene.host.url) as page:
        scene.agent.plays(5, {"text": "First line\nSame line"}, {"text": "Another line\nSame line"})
        template = scene.host.pipeline_parts.catalogue.find("launch")
        assert template
        run = await scene.start(template)
        await scene.decide(await scene.question(run), "approve")
        await scene.until(run)
        await page.goto(f"{scene.host.url}pipelines/runs/{run.id}?step=5")
        await page.get_by_role("link", name="Run again from here").click()
        form = page.get_by_role("form", name="Run again")
        await expect(form.get_by_label("What this step is given")).to_have_value("Text of the copywriter")
        await form.get_by_label("What this step is given").fill("My own text about otters")
        await form.get_by_role("button", name="Run again").click()
        await expect(page.locator(".settled")).to_have_text(
            "A new run has started from step 5. The old one stays."
        )
        await expect(page.locator(".run-summary")).to_have_attribute("data-state", "done")
        await expect(node(page, "copywriter")).to_have_attribute("data-state", "skipped")
        await expect(page.locator(".run-summary")).to_contain_text(f"{run.id[-5:]} from step 5")
        assert "My own text about otters" in scene.agent.requests(5)[1].prompt
        assert scene.agent.times(3) == 1
        await page.get_by_label("Compare with another run").select_option(run.id)
        last = page.get_by_role("region", name="editor")
        await expect(last.locator(".diff .removed")).to_have_text("-First line")
        await expect(last.locator(".diff .added")).to_have_text("+Another line")
        await expect(page.get_by_role("region", name="copywriter")).to_contain_text("Both made the same.")
        await page.go_back()
        await page.get_by_role("link", name=run.id[-5:]).click()
        await expect(page.locator(".run-status")).to_contain_text("5 of 5")
