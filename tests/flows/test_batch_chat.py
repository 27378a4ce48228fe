"""Batches in a chat: what a person asks for, the card with the estimate, the one message, and the commands."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from tests.flows.batch_scene import QUICK
from tests.telegram_scene import Scene, eventually, telegram_scene

from nanoclaw.domain.batches import Batch, BatchItem, BatchStatus, ItemState
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import Role
from nanoclaw.durable import batches, memberships, memory_changes, people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.remember import remember
from nanoclaw.testing import Asked, Fail, ModelServer
from nanoclaw.testing.model_server import Answer
from nanoclaw.testing.telegram.chats import SeenMessage

TEXTS = {
    "One": "The first letter is for you and your family, and it is short.",
    "Two": "A second note says that the shop on the corner opens again in May.",
    "Three": "Here is what the third reader of our paper wants to know about tea.",
    "Four": "Nobody is alone with that question: the answer to it was found in an old book.",
}

# Two hosts for these tests; each test has a person of its own.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("I1")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def demo(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    """Without a key."""
    home = tmp_path_factory.mktemp("batches") / "nanoclaw"
    async with telegram_scene(home, paced=False, batches=QUICK) as scene:
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
        agents={"runtime": "native", "opus": "claude-nobody-knows"},
        anthropic={"api_key": vendor.key, "base_url": vendor.url},
        spending={"day": 5.0},
        batches=QUICK,
    ) as scene:
        yield scene


async def at_home(stage: Scene, name: str, language: str = "", role: Role = Role.OWNER) -> Scene:
    """Someone alone with the agent."""
    here = await stage.joined_by(name, language=language, role=Role.STRANGER)

    def story(tx: Tx) -> None:
        channel, address = f"telegram:{stage.bot.id}", str(here.owner.id)
        own = people.add_chat(tx, channel=channel, address=address, title=name, at=now())
        wirings.wire(tx, own.id, own.kind, "main", now())
        person = people.person_named(tx, f"telegram:{here.owner.id}")
        assert person
        memberships.put(tx, person.id, "main", role, now())

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
    assert answer in await here.command(here.chat, command)


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
    await here.chat.wait_until(lambda: "not a list of topics" in here.chat.texts()[-1])


async def test_topics_come_from_a_file_of_the_agent_and_fewer_can_be_wanted(stage: Scene) -> None:
    here = await at_home(stage, "Petro")
    files: Path = here.host.home / "groups" / "main" / "files"
    files.mkdir(parents=True, exist_ok=True)
    (files / "topics.csv").write_text("topic,day\nOne,Mon\nTwo,Tue\nThree,Wed\n", "utf-8")
    (files / "secret.txt").symlink_to(here.host.home / "nanoclaw.toml")
    _, batch = await asked(here, "/batch_generate 2 letters from topics.csv model:haiku", "2 × letters")
    items = await here.host.store.read(lambda tx: batches.items(tx, batch.id))
    assert ([item.topic for item in items], "haiku" in batch.model) == (["One", "Two"], True)
    assert "no file" in await here.command(here.chat, "/batch_generate 2 letters from secret.txt")


async def test_the_same_command_twice_asks_once(stage: Scene) -> None:
    here = await at_home(stage, "Lev")
    await asked(here, "/batch_generate 3 haikus", "3 × haikus")
    assert "is the same" in await here.command(here.chat, "/batch_generate 3 haikus")


@pytest.mark.capability("A14")
async def test_where_the_group_says_auto_the_kind_of_text_decides_who_writes(stage: Scene) -> None:
    here, group = await at_home(stage, "Roman"), stage.host.home / "groups" / "main" / "group.toml"
    before = group.read_text()
    group.write_text(f'model = "auto"\n{before}')
    try:
        card, _ = await asked(here, "/batch_generate 4 greetings", "4 × greetings")
        assert f"✍️ {stage.host.settings.agents.haiku}" in card
    finally:
        group.write_text(before)


async def test_a_model_without_a_price_is_refused(stage: Scene) -> None:
    here = await at_home(stage, "Nazar")
    assert "claude-nobody-knows" in await here.command(here.chat, "/batch_generate 3 posts model:opus")


async def ready(scene: Scene, words: str) -> SeenMessage:
    """The one message of a batch, once these words are in it."""
    await scene.chat.wait_until(lambda: any(words in each.text for each in messages_of(scene)))
    (message,) = messages_of(scene)
    return message


def messages_of(scene: Scene) -> list[SeenMessage]:
    return [seen for seen in scene.chat.seen if seen.by_bot and seen.text.startswith("📦")]


async def test_the_demo_plays_a_whole_batch_without_a_key(
    demo: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    here = await at_home(demo, "Галина", language="uk")
    await here.owner.says(here.chat, "/batch_generate 30 постів для Telegram")
    card = await here.card("Згенерувати 30 × постів для Telegram?")
    assert "Безкоштовно" in card.text
    await here.press(card, "▶️ Почати")
    message = await ready(here, "✅ 30 текстів готово, перевірку пройшли 28 з 30")
    told = here.chat.history_of(message.id)
    assert any("⏳" in each for each in told)
    assert len(told) < 30
    assert "work failed" not in capsys.readouterr().out
    asked = await here.card("Що з ними зробити?")
    assert len(asked.labels) == 4
    batch = await newest(here)
    items = await here.host.store.read(lambda tx: batches.items(tx, batch.id))
    assert len({item.topic for item in items}) == len({item.text for item in items}) == 30
    assert [item.number for item in items if item.faults] == [14, 28]
    listed = await here.command(here.chat, "/batches")
    assert f"{batch.id[-5:]} 30 × постів для Telegram · готово" in listed
    assert "⚠️ 14." in await here.command(here.chat, f"/batch_results {batch.id[-5:]} 14")
    facts = here.host.home / "companies" / "demo" / "memory" / "facts.jsonl"

    async def remembered() -> str | None:
        lines = facts.read_text("utf-8").splitlines() if facts.exists() else []
        return next((line for line in lines if f"Пакет {batch.id[-5:]}" in line), None)

    assert "28 з 30" in await eventually(remembered)

    def again(tx: Tx) -> int:
        before = len(memory_changes.unwritten(tx, "demo"))
        remember(tx, batch, batches.counts(tx, batch.id), now())
        return len(memory_changes.unwritten(tx, "demo")) - before

    assert await here.host.store.write(again) == 0


async def test_failed_texts_are_listed_one_by_one_and_written_again(
    stage: Scene, vendor: ModelServer
) -> None:
    here = await at_home(stage, "Zoya")

    def reply(asked: Asked) -> Answer:
        if "Grade from 1" in asked.text:
            return json.dumps({"grade": 4 if TEXTS["Two"] in asked.text else 9})
        topic = asked.text.partition("<topic>")[2].partition("</topic>")[0]
        if topic == "Three":
            return Fail(500, "api_error", "Internal server error")
        return TEXTS[topic]

    vendor.reply = reply
    data = b"One\nTwo\nThree\nFour"
    await here.owner.sends_document(here.chat, data, name="t.txt", caption="/batch_generate letters grade 7")
    await here.press(await here.card("4 × letters"), "▶️ Start")
    message = await ready(here, "✅ 3 texts ready, 2 of 3 passed the check; 1 failed")
    assert "❌ 3. Three: Internal server error" in message.text
    await here.card("What should become of them?")
    batch = await newest(here)
    assert f"/batch_resubmit {batch.id[-5:]} 3" in message.text
    assert "it got 4 of 10" in await here.command(here.chat, f"/batch_results {batch.id[-5:]} 2")
    vendor.reply = lambda asked: json.dumps({"grade": 9}) if "Grade from 1" in asked.text else TEXTS["Three"]
    assert "1 text is written again" in await here.command(here.chat, f"/batch_resubmit {batch.id[-5:]}")
    again = await ready(here, "✅ 4 texts ready, 3 of 4 passed the check")
    assert again.id == message.id
    assert "❌" not in again.text
    spent = await here.host.store.read(lambda tx: batches.counts(tx, batch.id))
    assert spent.micros > 0


async def test_a_batch_that_waits_for_a_yes_can_be_cancelled_by_its_own_people_alone(stage: Scene) -> None:
    here, other = await at_home(stage, "Ihor"), await at_home(stage, "Bohdan", role=Role.MEMBER)
    _, batch = await asked(here, "/batch_generate 3 riddles", "3 × riddles")
    ref = batch.id[-5:]
    assert "Only whoever started this batch" in await other.command(other.chat, f"/batch_cancel {ref}")
    assert "No text was written yet." in await here.command(here.chat, f"/batch_cancel {ref}")
    assert "over already" in await here.command(here.chat, f"/batch_cancel {ref}")


async def test_on_the_page_a_batch_is_asked_for_with_the_same_words(demo: Scene) -> None:
    headers = {"Authorization": f"Bearer {demo.host.token}"}
    async with httpx.AsyncClient(base_url=demo.host.url, headers=headers, timeout=60) as page:
        rooms = (await page.get("/api/rooms")).json()["rooms"]
        body = {"text": "/batch-generate 2 notes for LinkedIn", "client_id": "one"}
        answer = await page.post(f"/api/rooms/{rooms[0]['id']}/messages", json=body)
        assert answer.is_success, answer.text
    assert "2 × **notes for LinkedIn**" in await demo.page_says("notes for LinkedIn")


async def test_an_estimate_follows_the_texts_that_the_skill_wrote_before_and_the_cache(stage: Scene) -> None:
    here = await at_home(stage, "Roman")
    _, batch = await asked(
        here,
        "/batch_generate 100 posts for Telegram skill:copywriter model:sonnet",
        "100 × posts for Telegram",
    )
    first = batch.estimate
    assert first
    assert first["alone"] > 1.5 * first["high"]

    def wrote(tx: Tx) -> None:
        """As many batches as are looked at, with texts of 4,000 letters."""
        for _ in range(5):
            old = replace(batch, id=new_id("b"), items=10, ended_at=now(), status=BatchStatus.DONE)
            batches.add(tx, old)
            one = BatchItem(batch_id=old.id, number=1, topic="t", state=ItemState.SUCCEEDED, text="a" * 4000)
            batches.add_items(tx, old.id, [replace(one, number=number) for number in range(1, 11)])

    await here.host.store.write(wrote)
    _, again = await asked(
        here,
        "/batch_generate 101 posts for Telegram skill:copywriter model:sonnet",
        "101 × posts for Telegram",
    )
    assert again.estimate
    assert again.estimate["low"] > 1.3 * first["low"]
    assert again.estimate["low"] < again.estimate["high"]  # the cache alone makes the difference now


@pytest.mark.attack
@pytest.mark.capability("E13")
async def test_a_yes_does_not_count_for_a_batch_that_changed_after_it_was_shown(demo: Scene) -> None:
    here = await at_home(demo, "Solomiia")
    await here.owner.says(here.chat, "/batch_generate 3 quiet posts")
    card, batch = await here.card("quiet posts"), await newest(here)
    await here.host.store.write(lambda tx: batches.mark(tx, batch.id, model="the-dearest"))
    await here.press(card, next(each for each in card.labels if "Start" in each))

    async def over() -> Batch | None:
        found = await here.host.store.read(lambda tx: batches.get(tx, batch.id))
        return found if found and found.status.is_over else None

    ended = await eventually(over)
    assert (ended.status, ended.started_at) == (BatchStatus.CANCELLED, None)
    assert (ended.why or {})["key"] == "batch-not-as-shown"
