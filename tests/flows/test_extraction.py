"""Flow G. What an agent did not remember itself is extracted when the conversation rests (SPEC G2, G7)."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.memory_scene import Memory
from tests.staging import until
from tests.task_agent import TaskAgent

from nanoclaw.domain.memory import Trust
from nanoclaw.durable.tables import costs
from nanoclaw.testing import FarEnd, started_host
from nanoclaw.testing.model_parts import Asked, Say
from nanoclaw.testing.model_server import ModelServer

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("G2", "G7")]


class Extractor:
    """The small model: it answers with what the test wants."""

    def __init__(self) -> None:
        self.finds: list[dict[str, Any]] | str = []
        self.asked: list[str] = []

    def __call__(self, asked: Asked) -> Say:
        self.asked.append(asked.text)
        return Say(self.finds if isinstance(self.finds, str) else json.dumps(self.finds, ensure_ascii=False))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def extractor() -> Extractor:
    return Extractor()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def here(tmp_path_factory: pytest.TempPathFactory, extractor: Extractor) -> AsyncIterator[Memory]:
    home: Path = tmp_path_factory.mktemp("extraction") / "nanoclaw"
    agent = TaskAgent()
    async with (
        ModelServer(extractor) as server,
        FarEnd() as far_end,
        started_host(
            home,
            model=agent,
            scripted={"url": far_end.url},
            anthropic={"api_key": server.key, "base_url": server.url},
            agents={"runtime": "demo"},
            memory={"rest_minutes": 0.001},
        ) as host,
    ):
        yield Memory(host, far_end, agent)


async def test_a_resting_conversation_is_read_once_and_what_it_said_is_kept(
    here: Memory, extractor: Extractor
) -> None:
    extractor.finds = [
        {
            "turn": 1,
            "kind": "fact",
            "text": "Ціна курсу 690 гривень",
            "topic": "ціна",
            "related_to": ["price", "ціна"],
        },
        {"turn": 1, "kind": "priority", "text": "Запустити новий сайт"},
    ]
    await here.say("Ціна курсу тепер 690 гривень. Головне зараз запустити новий сайт")
    fact = await here.entry("Ціна курсу 690")
    assert fact.trust is Trust.OWNER
    (line,) = (each for each in here.lines() if each["id"] == fact.id)
    assert line["provenance"]["via"] == "extraction"
    await until(lambda: "Запустити новий сайт" in here.claude_md())
    asked = [each for each in extractor.asked if "Ціна курсу тепер 690" in each]
    assert len(asked) == 1
    read = sa.select(costs.c.flow).where(costs.c.runtime == "extraction")
    assert set(await here.host.store.read(lambda tx: list(tx.execute(read).scalars()))) == {"G"}


async def test_turns_in_which_the_agent_remembered_are_left_out(here: Memory, extractor: Extractor) -> None:
    extractor.finds, before = [], len(extractor.asked)
    await here.remembers("Our lawyer is Petrenko", {"text": "Our lawyer is Petrenko"})
    await here.entry("Petrenko")
    await here.say("We also have an accountant")
    await until(lambda: any("accountant" in each for each in extractor.asked[before:]))
    assert not any("<said>Our lawyer" in each for each in extractor.asked[before:])


async def test_an_answer_that_is_no_list_is_dropped_and_nobody_notices(
    here: Memory, extractor: Extractor
) -> None:
    extractor.finds = "I found [nothing of use"
    known = set(await here.entries())
    assert await here.say("The van is blue")
    await until(lambda: any("The van is blue" in each for each in extractor.asked))
    extractor.finds = []
    await here.say("And the bicycle is red")
    await until(lambda: any("bicycle is red" in each for each in extractor.asked))
    assert not any("The van is blue" in each for each in extractor.asked if "bicycle" in each)
    new = {each.kind for id_, each in (await here.entries()).items() if id_ not in known}
    assert new <= {"activity", "context"}  # passages are indexed when a turn first asks for them


@pytest.mark.attack
async def test_what_was_said_while_memory_was_off_is_not_extracted_when_it_is_on_again(
    here: Memory, extractor: Extractor
) -> None:
    extractor.finds = []
    await here.say("/chat-memory off")
    await here.say("The merger with Zenith is secret")
    await here.say("/chat-memory write")
    await here.say("Tulips are sold out")
    await until(lambda: any("Tulips" in each for each in extractor.asked))
    assert not any("Zenith" in each for each in extractor.asked)
