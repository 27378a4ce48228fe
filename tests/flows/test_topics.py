"""A7: the topics of a forum have their own skills, or a domain among whose skills a small model chooses."""

import json
from pathlib import Path

import pytest
from tests.telegram_scene import Scene, telegram_scene

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.host.skill_check import misleading
from nanoclaw.testing import Asked, ModelServer, made_workspace
from nanoclaw.testing.telegram.groups import Group as Forum
from nanoclaw.testing.telegram.groups import Topic
from nanoclaw.texts import LANGUAGES, tell

pytestmark = pytest.mark.capability("A7")


def _map(home: Path, *lines: str) -> Path:
    path = home / "groups" / "main" / "group.toml"
    path.write_text("\n".join(['company = "demo"', "main = true", 'runtime = "demo"', "[topics]", *lines]))
    return path


async def _reason(scene: Scene, forum: Forum, topic: Topic | None, text: str) -> str:
    message = await scene.owner.says(forum, f"@helper_bot {text}", topic=topic)
    told = await scene.why(message, "answered")
    return next(step.sentence for step in told.steps if step.event == "chosen")


async def test_a_topic_has_its_skill_or_its_domain_and_others_fall_back(home: Path) -> None:
    def choose(asked: Asked) -> str:
        text = json.dumps(asked.messages)
        skill = "general-assistant" if "elsewhere" in text else "news-curator"
        return json.dumps({"skill": skill, "confidence": 0.4 if "unsure" in text else 0.9})

    async with (
        ModelServer(choose) as server,
        telegram_scene(
            home,
            agents={"runtime": "demo"},
            anthropic={"api_key": server.key, "base_url": server.url},
        ) as scene,
    ):
        forum = scene.server.group("Forum", scene.bot, members=[scene.owner], forum=True)
        posts, market, ideas = (forum.topic(name) for name in ("Posts", "Market", "Ideas"))
        _map(
            home,
            f'{posts.id} = "marketing/content/telegram-poster"',
            f'{market.id} = {{domain = "marketing", skills = ["news-curator", "seo-analyst"]}}',
        )
        said = await _reason(scene, forum, posts, "something about winter")
        assert "telegram-poster" in said
        assert f"the skill of topic {posts.id}" in said
        assert server.asked == []  # nothing to choose

        said = await _reason(scene, forum, market, "what is new?")
        assert "news-curator" in said
        assert f"among the skills of topic {market.id}" in said
        offered = json.dumps(server.asked[0].messages)
        assert ("seo-analyst" in offered, "telegram-poster" in offered) == (True, False)

        for topic, text in ((market, "unsure"), (market, "elsewhere"), (ideas, "hi"), (None, "hi")):
            said = await _reason(scene, forum, topic, text)
            assert "general-assistant" in said
            assert "the group's default" in said
        assert len(server.asked) == 3

        message = await scene.owner.says(forum, "/news@helper_bot", topic=posts)
        told = await scene.why(message, "answered")
        assert any(
            "news-curator" in step.sentence and "by its command" in step.sentence for step in told.steps
        )


def test_what_a_topic_names_in_vain_is_reported_with_its_line(home: Path) -> None:
    made_workspace(home)
    path = _map(
        home,
        '41 = "telegram-poster"',
        '42 = "telegram-postr"',
        '43 = {domain = "marketng"}',
        "[topics.44]",
        'domain = "meta"',
        'skills = ["general-assistant",',
        '  "news-curator"]',
    )
    faults = list(misleading(home, Skills(home), Groups(home), ()))
    assert [(fault.key, fault.values["line"]) for fault in faults] == [
        ("topic-skill", "6"),
        ("topic-domain", "7"),
        ("topic-other-domain", "11"),
    ]
    for language in LANGUAGES:
        assert all(str(path) in tell(language, fault) for fault in faults)
