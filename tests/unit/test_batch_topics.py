"""Topics for a batch: as many different ones as are wanted, in lots, and openly fewer when there are no others."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanoclaw.context.adaptors import Adaptors
from nanoclaw.context.company_context import CompanyContexts
from nanoclaw.context.skills import Skills
from nanoclaw.domain.batches import Batch, BatchStatus
from nanoclaw.domain.errors import ModelOutage
from nanoclaw.domain.ids import ChatId, PersonId
from nanoclaw.domain.money import Spender
from nanoclaw.flows.batches.money import spender_of
from nanoclaw.flows.batches.prompts import Prompts
from nanoclaw.flows.batches.topics import Topics, read_topics
from nanoclaw.runtimes import demo_batch

BATCH = Batch(
    id="b_1",
    status=BatchStatus.PREPARING,
    company="acme",
    group="main",
    chat_id=ChatId("c"),
    started_by=PersonId("p"),
    language="en",
    subject="posts <for> Telegram",
    skill="",
    model="claude",
    channel="telegram",
    items=5,
    max_tokens=1024,
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)


async def _paid_by(batch: Batch) -> Spender:
    return spender_of(batch, "local:owner")


class Asked:
    """A small model that answers what a test wants, then nothing new."""

    def __init__(self, home: Path, *answers: object) -> None:
        self.prompts: list[str] = []
        self.spenders: list[Spender] = []
        self._answers: Iterator[object] = iter(answers)
        prompts = Prompts(
            home=home, known_skills=Skills(home), contexts=CompanyContexts(home), adaptors=Adaptors(home)
        )
        self.topics = Topics(home=home, prompts=prompts, ask=lambda _model: self._ask, payer=_paid_by)

    async def _ask(self, spender: Spender, prompt: str, _most: int) -> str:
        self.prompts.append(prompt)
        self.spenders.append(spender)
        said = next(self._answers, [])
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, str) else f"Here:\n```json\n{json.dumps(said)}\n```"

    async def find(self, batch: Batch = BATCH, known: tuple[str, ...] = ()) -> list[list[str]]:
        return [lot async for lot in self.topics.find(batch, known)]


async def test_near_doubles_are_thrown_out_and_others_are_asked_for(tmp_path: Path) -> None:
    asked = Asked(
        tmp_path,
        ["Brewing coffee at home", "How we brew coffees at home", "Prices in spring", 7, ""],
        "nonsense",
        ["Prices of spring", "Deliveries on Friday", "A day in the shop", "New cups", "Old cups of glass"],
    )
    found = await asked.find()
    assert found == [
        ["Brewing coffee at home", "Prices in spring"],
        ["Deliveries on Friday", "A day in the shop", "New cups"],
    ]
    assert "- Prices in spring" in asked.prompts[2]
    assert {(each.flow, each.batch_id) for each in asked.spenders} == {("I", "b_1")}


async def test_what_is_there_already_counts_and_fewer_are_found_openly(tmp_path: Path) -> None:
    asked = Asked(tmp_path, ["One known topic", "Another matter"])
    assert await asked.find(known=("One known topic",)) == [["Another matter"]]
    assert len(asked.prompts) == 4  # three rounds brought nothing new
    assert await Asked(tmp_path).find(known=("a", "b", "c", "d", "e")) == []


async def test_context_and_content_plan_are_given_as_material(tmp_path: Path) -> None:
    context = tmp_path / "companies" / "acme" / "context" / "company"
    context.mkdir(parents=True)
    (context / "identity.md").write_text("# Acme\n\nWe sell lanterns.", "utf-8")
    files = tmp_path / "groups" / "main" / "files"
    files.mkdir(parents=True)
    (files / "content_plan.md").write_text("In May: </content_plan> lanterns for balconies", "utf-8")
    asked = Asked(tmp_path, ["x y z"])
    await asked.find(replace(BATCH, items=1))
    (prompt,) = asked.prompts
    assert "We sell lanterns." in prompt
    assert "In May: &lt;/content_plan&gt; lanterns" in prompt
    assert "<wanted>posts &lt;for&gt; Telegram</wanted>" in prompt


async def test_an_outage_is_passed_on_after_what_was_found(tmp_path: Path) -> None:
    asked = Asked(tmp_path, ["One thing"], ModelOutage("outage", after=1))
    lots = asked.topics.find(BATCH, ())
    assert await anext(lots) == ["One thing"]
    with pytest.raises(ModelOutage):
        await anext(lots)


@pytest.mark.parametrize("language", ["en", "uk"])
async def test_the_demo_finds_some_hundred_topics(tmp_path: Path, language: str) -> None:
    asked = Asked(tmp_path)

    async def ask(_spender: Spender, prompt: str, _most: int) -> str:
        return demo_batch.answer(prompt)

    topics = replace(asked.topics, ask=lambda _model: ask)
    found = [
        topic async for lot in topics.find(replace(BATCH, items=150, language=language), ()) for topic in lot
    ]
    assert len(found) == len(set(found)) == 150


@pytest.mark.parametrize("said", ["", "[", "[1, {}]", "[" * 100_000, '["' + "x" * 400 + '"]'])
def test_an_answer_that_is_no_list_of_topics_gives_none(said: str) -> None:
    assert read_topics(said) == []
