"""Batches in a chat: what a person asks for, the card with the estimate, the one message, and the commands."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.telegram_scene import Scene, telegram_scene

from nanoclaw.domain.batches import Batch
from nanoclaw.durable import batches, people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.testing import ModelServer

# Two hosts for these tests; each test has a person of its own.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("I1")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def demo(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    """Without a key."""
    home = tmp_path_factory.mktemp("batches") / "nanoclaw"
    async with telegram_scene(home, paced=False) as scene:
        yield scene


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def vendor() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory, vendor: ModelServer) -> AsyncIterator[Scene]:
    """With a key, a played vendor, and a budget."""
    home = tmp_path_factory.mktemp("batches") / "nanoclaw"
    async with telegram_scene(
        home,
        paced=False,
        agents={"runtime": "native"},
        anthropic={"api_key": vendor.key, "base_url": vendor.url},
        spending={"day": 5.0},
    ) as scene:
        yield scene


async def at_home(stage: Scene, name: str, language: str = "") -> Scene:
    """An owner, alone with the agent."""
    here = await stage.joined_by(name, language=language)

    def story(tx: Tx) -> None:
        channel, address = f"telegram:{stage.bot.id}", str(here.owner.id)
        own = people.add_chat(tx, channel=channel, address=address, title=name, at=now())
        wirings.wire(tx, own.id, own.kind, "main", now())

    await stage.host.store.write(story)
    return here


async def newest(scene: Scene) -> Batch:
    found = await scene.host.store.read(lambda tx: batches.newest(tx, limit=1))
    return found[0]


async def asked(scene: Scene, command: str, words: str) -> tuple[str, Batch]:
    """The card that answers, and its batch."""
    await scene.owner.says(scene.chat, command)
    card = await scene.card(words)
    return card.text, await newest(scene)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("/batch-generate", "How many texts"),
        ("/batch_generate 0 posts", "1 to 100,000 texts, not 0"),
        ("/batch_generate -3 posts", "not -3"),
        ("/batch_generate 100001 posts", "not 100,001"),
        ("/batch_generate posts for Telegram", "How many texts"),
        ("/batch_generate 30", "30 texts of what kind"),
        ("/batch_generate 30 posts skill:nobody", 'no skill "nobody"'),
        ("/batch_generate 30 posts model:gpt", "haiku, sonnet, opus"),
        ("/batch_generate 30 posts channel:fax", "Known channels"),
        ("/batch_generate 30 posts from missing.txt", 'no file "missing.txt"'),
        ("/batch_generate 30 posts from ../../nanoclaw.toml.txt", "no file"),
        ("/batch_generate 30 posts topics:../../../nanoclaw.txt", "no file"),
        ("/batch_cancel 3", 'no batch "3"'),
        ("/batch_results", "no batches in this chat"),
        ("/batches", "There are no batches yet"),
    ],
)
async def test_what_cannot_be_meant_is_answered_with_what_to_write(
    demo: Scene, command: str, answer: str
) -> None:
    here = await at_home(demo, "Taras")
    assert answer in await here.order(here.chat, command)


async def test_the_card_says_what_it_costs_beside_one_by_one_and_who_writes(stage: Scene) -> None:
    here = await at_home(stage, "Ivan")
    card, batch = await asked(
        here, "/batch-generate 30 posts for LinkedIn grade 7", "30 × posts for LinkedIn"
    )
    assert "rules of the channel linkedin" in card
    assert "skill repurposer" in card
    assert "below 7 of 10" in card
    estimate = batch.estimate
    assert estimate
    assert f"✍️ {stage.host.settings.agents.sonnet}, skill" in card
    assert 0 < estimate["low"] <= estimate["high"] < estimate["alone"]
    assert "instead of $" in card
    assert (batch.items, batch.channel, batch.language, batch.least_grade) == (30, "linkedin", "en", 7)


async def test_in_ukrainian_the_channel_and_the_skill_are_recognised_too(stage: Scene) -> None:
    here = await at_home(stage, "Оксана", language="uk")
    card, batch = await asked(
        here, "/batch_generate тридцять постів для Телеграму", "Згенерувати 30 × постів"
    )
    assert "замість" in card
    assert (batch.items, batch.channel, batch.skill) == (30, "telegram", "telegram-poster")
    assert batch.language == "uk"


async def test_a_budget_that_does_not_suffice_offers_the_part_that_does(stage: Scene) -> None:
    here = await at_home(stage, "Maria")
    await here.owner.says(here.chat, "/batch_generate 2000 posts for Telegram")
    card = await here.card("2,000 × posts")
    batch = await newest(here)
    assert batch.estimate
    fits = batch.estimate["fits"]
    assert 0 < fits < 2000
    assert f"so there is enough for {fits}" in card.text
    assert card.labels == [f"▶️ Only {fits} texts", "❌ Cancel"]


async def test_topics_come_from_a_document_that_is_sent_with_the_command(stage: Scene) -> None:
    here = await at_home(stage, "Sofia")
    data = "\n".join(f"Topic {number}" for number in range(1, 41)).encode()
    await here.owner.sends_document(
        here.chat, data, name="list.txt", caption="/batch_generate posts for Telegram"
    )
    await here.card("40 × posts for Telegram")
    batch = await newest(here)
    items = await here.host.store.read(lambda tx: batches.items(tx, batch.id, limit=100))
    assert [item.topic for item in items] == [f"Topic {number}" for number in range(1, 41)]
    await here.owner.sends_document(
        here.chat, b"x" * (1 << 20), name="one.txt", caption="/batch_generate posts"
    )
    await here.chat.wait_until(lambda: "Topic 1 is too long" in here.chat.texts()[-1])
    await here.owner.sends_document(here.chat, b"%PDF", name="plan.pdf", caption="/batch_generate 3 posts")
    await here.chat.wait_until(lambda: "no list of topics" in here.chat.texts()[-1])


async def test_topics_come_from_a_file_of_the_agent_and_fewer_can_be_wanted(stage: Scene) -> None:
    here = await at_home(stage, "Petro")
    files: Path = here.host.home / "groups" / "main" / "files"
    files.mkdir(parents=True, exist_ok=True)
    (files / "topics.csv").write_text("topic,day\nOne,Mon\nTwo,Tue\nThree,Wed\n", "utf-8")
    (files / "secret.txt").symlink_to(here.host.home / "nanoclaw.toml")
    _, batch = await asked(here, "/batch_generate 2 letters from topics.csv model:haiku", "2 × letters")
    items = await here.host.store.read(lambda tx: batches.items(tx, batch.id))
    assert ([item.topic for item in items], "haiku" in batch.model) == (["One", "Two"], True)
    assert "no file" in await here.order(here.chat, "/batch_generate 2 letters from secret.txt")


async def test_the_same_command_twice_asks_once(stage: Scene) -> None:
    here = await at_home(stage, "Lev")
    await asked(here, "/batch_generate 3 haikus", "3 × haikus")
    assert "is the same" in await here.order(here.chat, "/batch_generate 3 haikus")
