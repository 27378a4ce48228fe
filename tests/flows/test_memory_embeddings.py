"""With an embeddings address, what a turn recalls is ordered by meaning too; without an answer, by words (SPEC G3)."""

from pathlib import Path

import pytest
from tests.memory_scene import COMPANY, memory_scene
from tests.staging import until

from nanoclaw.domain.memory import EntryFilter, EntryKind
from nanoclaw.memory.search import MemorySearch
from nanoclaw.testing import EmbeddingsServer
from nanoclaw.testing.model_parts import Fail

_QUESTION = "Is anything new needed for the dog at the office?"
_KENNEL, _PRINTER = "Our hound needs a new kennel", "A new office printer is needed"


@pytest.mark.capability("G3")
async def test_a_turn_recalls_by_meaning_where_an_address_is_configured(home: Path) -> None:
    async with EmbeddingsServer(["dog", "hound"], ["printer"]) as server:
        memory = {"embeddings_url": server.url, "embeddings_model": server.model}
        async with memory_scene(home, memory=memory) as here:

            async def is_kennel_first() -> bool:
                await here.say(_QUESTION)
                told = here.agent.asked[-1].recalled
                return -1 < told.find(_KENNEL) < told.find(_PRINTER)

            for text in (_KENNEL, _PRINTER):
                await here.remembers(text, {"text": text})
                await here.entry(text)
            facts = EntryFilter(kinds=(EntryKind.FACT,))
            by_words = await MemorySearch(here.host.store).find(COMPANY, _QUESTION, filter=facts)
            assert by_words[0].entry.text == _PRINTER
            await until(is_kennel_first)  # the vectors are made in the background
            assert _KENNEL in server.texts
            server.answers.append(Fail(500, "down"))
            await here.say("Does a printer cost much?")
            assert _PRINTER in here.agent.asked[-1].recalled
            assert not server.answers
