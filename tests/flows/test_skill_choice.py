"""A7: a skill is chosen by its command, by what is written where the group wants that, or it is the group's own."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from nanoclaw.durable import pipeline_runs, timeline
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import Asked, Fail, FarEnd, ModelServer, started_host


@asynccontextmanager
async def classifying(home: Path, verdict: Any) -> AsyncIterator[tuple[Host, FarEnd, ModelServer]]:
    """A host whose group lets a small model choose; the demo answers, so that only the choice is asked for."""
    (home / "groups" / "main" / "group.toml").write_text(
        'company = "demo"\nmain = true\nclassify = true\nruntime = "demo"\n'
    )
    async with (
        ModelServer(lambda _asked: verdict) as server,
        FarEnd() as far_end,
        started_host(
            home,
            scripted={"url": far_end.url},
            anthropic={"api_key": server.key, "base_url": server.url},
            agents={"runtime": "demo"},
        ) as host,
    ):
        yield host, far_end, server


async def chosen(host: Host, far_end: FarEnd, text: str) -> tuple[str, str]:
    await far_end.say("chat", text)
    await far_end.wait_for("chat")

    def read(tx: Tx) -> list[timeline.TimelineStep]:
        return timeline.of_message(tx, timeline.newest(tx) or "")

    steps = await host.store.read(read)
    detail = next(step.detail for step in steps if step.event is timeline.Event.CHOSEN)
    return detail["skill"], detail["reason"]


@pytest.mark.capability("A7", "J1")
async def test_a_sure_classifier_chooses_the_skill_and_is_paid_for(home: Path) -> None:
    verdict = 'Sure: {"skill": "news-curator", "confidence": 0.9}'
    async with classifying(home, verdict) as (host, far_end, server):
        assert await chosen(host, far_end, "What is new in coffee?") == ("news-curator", "classified")
        question: Asked = server.asked[0]
        assert question.model == host.settings.agents.haiku
        assert "What is new in coffee?" in json.dumps(question.messages)
        assert "telegram-poster" in json.dumps(question.messages)
    line = json.loads((home / "data" / "cost_log.jsonl").read_text())
    assert (line["runtime"], line["company"]) == ("classifier", "demo")


@pytest.mark.capability("A7")
@pytest.mark.parametrize(
    "verdict",
    [
        '{"skill": "news-curator", "confidence": 0.49}',
        '{"skill": "no-such-skill", "confidence": 1}',
        '{"skill": "news-curator", "confidence": "very"}',
        "news-curator",
        "{",
        Fail(400, "invalid_request_error"),
    ],
    ids=["unsure", "unknown", "no number", "no JSON", "half JSON", "refused"],
)
async def test_otherwise_the_groups_own_skill_is_taken(home: Path, verdict: Any) -> None:
    async with classifying(home, verdict) as (host, far_end, _server):
        assert await chosen(host, far_end, "hm") == ("general-assistant", "default")


@pytest.mark.capability("A7")
async def test_a_command_is_not_classified(home: Path) -> None:
    async with classifying(home, "never") as (host, far_end, server):
        assert await chosen(host, far_end, "/post about beans") == ("telegram-poster", "command")
        assert not server.asked


@pytest.mark.capability("A7", "D1")
async def test_a_sure_classifier_takes_a_wish_for_a_pipeline_and_a_card_answers(home: Path) -> None:
    verdict = '{"pipeline": "content_pipeline", "subject": "roasting at home", "confidence": 0.9}'
    async with classifying(home, verdict) as (host, far_end, server):
        await far_end.say("chat", "I need a long piece for our blog, on roasting at home")
        _document, card = await far_end.wait_for("chat", 2)
        assert "Start **Content Pipeline**: roasting at home?" in card
        assert "content_pipeline: Content Pipeline" in json.dumps(server.asked[0].messages)
        runs = await host.store.read(lambda tx: pipeline_runs.newest(tx))
        assert [(run.subject, run.status) for run in runs] == [("roasting at home", "asked")]


@pytest.mark.capability("A7", "D1")
@pytest.mark.parametrize(
    "verdict",
    [
        '{"pipeline": "content_pipeline", "subject": "tea", "confidence": 0.6}',
        '{"pipeline": "no-such", "subject": "tea", "confidence": 1}',
        '{"pipeline": "content_pipeline", "subject": "this", "confidence": 1}',
        '{"pipeline": "content_pipeline", "subject": 7, "confidence": 1}',
    ],
    ids=["unsure", "unknown", "vague", "no text"],
)
async def test_otherwise_the_agent_answers(home: Path, verdict: str) -> None:
    async with classifying(home, verdict) as (host, far_end, _server):
        assert await chosen(host, far_end, "hm") == ("general-assistant", "default")
        assert await host.store.read(lambda tx: pipeline_runs.newest(tx)) == []
