"""Flow G. What was said is kept in the company's files, and the index follows them (SPEC G1, G2, G4)."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.memory_scene import COMPANY, Memory, memory_scene
from tests.staging import until

from nanoclaw.domain.memory import EntryState, Trust

# One host for these tests: each uses words of its own.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("G1", "G2", "A13", "A17")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def here(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memory]:
    async with memory_scene(tmp_path_factory.mktemp("memory") / "nanoclaw") as memory:
        yield memory


async def test_what_an_agent_remembers_is_a_line_of_the_file_with_its_provenance(here: Memory) -> None:
    told = await here.remembers(
        "The parcel locker is on Khreshchatyk 22",
        {
            "text": "The parcel locker is on Khreshchatyk 22",
            "topic": "delivery",
            "related_to": ["locker", "поштомат"],
        },
    )
    assert told.startswith("The parcel") or "Remembered: fact_" in told, told
    entry = await here.entry("Khreshchatyk")
    (line,) = (each for each in here.lines() if "Khreshchatyk" in each.get("fact", ""))
    assert line["id"] == entry.id
    assert line["related_to"] == ["locker", "поштомат"]
    assert line["provenance"]["trust"] == Trust.OWNER
    assert line["provenance"]["via"] == "tool"
    assert line["provenance"]["turn"] == entry.turn_id
    assert line["provenance"]["message"] == entry.message_id
    assert entry.state is EntryState.LIVE


async def test_every_turn_leaves_a_line_of_activity_that_can_be_found_at_once(here: Memory) -> None:
    await here.say("Please compare the shipping tariffs <internal>quietly</internal>")
    await until(lambda: "shipping tariffs" in here.claude_md())
    (line,) = (each for each in here.claude_md().splitlines() if "shipping tariffs" in each)
    assert line.startswith("- 20")

    async def found() -> bool:
        hits = await here.host.memory_parts.search.find(COMPANY, "tariff of shipping")
        return any("shipping tariffs" in hit.entry.text for hit in hits)

    await until(found)
