"""What a run made: files of its group, messages and documents in its chat, and what the company remembers of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.flows.pipeline_scene import PipelineScene, pipeline_scene
from tests.telegram_scene import eventually

from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus
from nanoclaw.durable.tables import parcels
from nanoclaw.flows.pipelines import output_text
from nanoclaw.flows.pipelines.delivered import delivered
from nanoclaw.testing import made_workspace

pytestmark = pytest.mark.capability("D6", "X3")

LINKEDIN = "We lost 46 subscribers.\n\nNobody spoke of taste.\n\n#coffee #customers #churn"
BAD = "☕ We lost 46 subscribers.\n\n#coffee\n\nNobody spoke of taste."
POSTS = """# Posts
## Trigger: /posts
## Steps:
1. editor
2. repurposer | outputs: web, linkedin
"""
FOR_PAGE = """---
name: page
description: Posts for the page.
targets: [web]
rules:
  text: {longest: 100}
---
Write briefly.
"""


def with_page_adaptor(home: Path) -> Path:
    """The network of the page's rooms gets a format of its own."""
    made_workspace(home)
    (home / "foundation" / "channel_adaptors" / "page.md").write_text(FOR_PAGE)
    return home


async def posted(scene: PipelineScene, run: PipelineRun) -> list[Any]:
    def read(tx: Any) -> list[Any]:
        mine = parcels.c.origin.like(f"outputs {run.id}%")
        return list(tx.execute(sa.select(parcels).where(mine).order_by(parcels.c.number)))

    return await scene.host.store.read(read)


def folder_of(scene: PipelineScene, run: PipelineRun) -> Path:
    return scene.host.home / "groups" / "main" / "files" / "pipelines" / run.id


async def test_a_text_for_the_own_network_is_a_message_and_the_others_are_documents_with_the_article(
    home: Path,
) -> None:
    async with pipeline_scene(with_page_adaptor(home)) as scene:
        scene.agent.plays(1, {"text": "# Why they left\n\nThe door.", "confidence": 0.9})
        scene.agent.plays(2, {"outputs": {"web": "Short and good.", "linkedin": LINKEDIN}})
        planted = scene.host.home / "groups" / "main" / "files" / "pipelines"
        planted.parent.mkdir(parents=True, exist_ok=True)
        planted.symlink_to(scene.host.home / "companies")  # as an agent might, to make the host write there
        run = await scene.until(await scene.start(POSTS, "why <they> left"))
        assert run.status is PipelineRunStatus.DONE
        message, closing = await posted(scene, run)
        assert message.text == "Short and good."
        assert not message.attachments
        assert "Posts" in closing.text
        assert "It cost nothing." in closing.text
        assert "It cost $0.3500." in output_text.closing("en", run, 350_000, ())
        documents = [Attachment.read(each) for each in closing.attachments]
        assert [each.name for each in documents] == ["2-repurposer-linkedin.md", "1-editor.md"]
        kept = scene.host.home / "data" / "attachments"
        assert [(kept / each.kept).read_text() for each in documents] == [
            LINKEDIN,
            "# Why they left\n\nThe door.",
        ]

        files = folder_of(scene, run)
        assert not planted.is_symlink()
        assert sorted(each.name for each in files.iterdir()) == [
            "1-editor.md",
            "2-repurposer-linkedin.md",
            "2-repurposer-web.md",
            "results.json",
        ]
        assert (files / "2-repurposer-linkedin.md").read_text() == LINKEDIN
        told = json.loads((files / "results.json").read_text())
        assert told["subject"] == "why <they> left"
        assert [step["state"] for step in told["steps"]] == ["done", "done"]

        # Written and delivered again, as after a crash, nothing is there twice.
        outputs, steps = scene.host.pipeline_parts.story.outputs, await scene.steps(run)
        await outputs.write(run, steps)
        await scene.host.store.write(lambda tx: outputs.deliver(tx, run, steps, run.created_at))
        assert len(await posted(scene, run)) == 2

        # However long a text for the own network is, it does not flood the chat.
        flood = replace(steps[1], texts={"web": "word " * 5000, "linkedin": LINKEDIN})
        assert not any(each.is_message_on("web") for each in delivered(run, [steps[0], flood]))


async def test_what_breaks_the_rules_of_its_channel_goes_back_once_and_is_then_shown_with_its_faults(
    home: Path,
) -> None:
    async with pipeline_scene(with_page_adaptor(home)) as scene:
        long = "word " * 30
        scene.agent.plays(2, {"outputs": {"web": long, "linkedin": BAD}})
        run = await scene.until(await scene.start(POSTS))
        assert scene.agent.times(2) == 2
        [back] = scene.agent.told
        assert not back.ok
        assert "The first line of the text has an emoji" in back.text
        assert "100" in back.text
        message, closing = await posted(scene, run)
        assert message.text.startswith(long.strip())
        assert "⚠️ This text for web does not keep a rule of its channel:" in message.text
        assert "⚠️ This text for linkedin does not keep 3 rules of its channel:" in closing.text
        assert "- The first line of the text has an emoji (☕). Leave it out." in closing.text


@pytest.mark.capability("G1", "G8")
async def test_findings_are_remembered_as_hearsay_and_what_a_person_approved_as_their_decision(
    home: Path,
) -> None:
    template = """# Outline
## Trigger: /outlined
## Steps:
1. topic-researcher
2. outline-architect
3. HITL | type: approval
4. editor
"""
    async with pipeline_scene(home) as scene:
        found = {
            "findings": ["Nine of twelve named the delivery day"],
            "sources": [],
            "gaps": [],
            "confidence": 0.7,
        }
        scene.agent.plays(1, {"text": "A report.", **found})
        decided = ["style: practical", "the price is 1 EUR"]
        outline = "## One\n**Decisions:** style:\npractical"
        scene.agent.plays(2, {"text": outline, "angle": "a", "decisions": decided, "confidence": 0.9})
        run = await scene.start(template, "why subscribers leave")
        await scene.decide(await scene.question(run), "approve")
        await scene.until(run)
        memory = scene.host.home / "companies" / "demo" / "memory"

        def lines(file: str) -> list[dict[str, Any]]:
            path = memory / file
            return [json.loads(each) for each in path.read_text().splitlines()] if path.exists() else []

        async def is_there() -> bool | None:
            return "why subscribers leave" in (memory / "CLAUDE.md").read_text() or None  # written last

        await eventually(is_there)
        facts = {each["fact"]: each for each in lines("facts.jsonl")}
        assert facts["Nine of twelve named the delivery day"]["provenance"]["trust"] == "hearsay"
        assert facts["Nine of twelve named the delivery day"]["confidence"] == 0.7
        assert facts["the price is 1 EUR"]["provenance"]["trust"] == "hearsay", "nobody has seen it"
        [decision] = [each for each in lines("decisions.jsonl") if each["type"] != "hitl"]
        assert decision["decision"] == "style: practical"
        assert decision["provenance"]["trust"] == "owner"
        assert decision["binding"] is False
        activity = (memory / "CLAUDE.md").read_text()
        assert f"Outline: why subscribers leave → done, 3 texts in pipelines/{run.id}/" in activity
        assert activity.count("why subscribers leave") == 1, "its steps have no lines of their own"
