"""What labelled questions find. `just bench-memory` prints the table beside plain FTS5."""

import gc
import tempfile
from pathlib import Path

import pytest
from tests import memory_sets

from nanoclaw.testing import MemoryIndex, memory_index

# Percent of the answering lines among the first 10: a little less than was measured, so that a loss shows.
LEAST = {
    "conversation, English": 68,
    "conversation, English, held out": 78,
    "conversation, Ukrainian": 85,
    "company facts, both languages": 86,
    "company facts, the other language": 94,
}


@pytest.mark.capability("G3")
@pytest.mark.parametrize("name", memory_sets.SETS)
def test_questions_find_the_lines_that_answer_them(name: str) -> None:
    lines, questions = memory_sets.SETS[name]
    index: MemoryIndex[str] = memory_index(memory_sets.facts(lines))
    asked = memory_sets.questions(questions)
    shares = [len(each.answers.intersection(index(each.text, 10))) / len(each.answers) for each in asked]
    index.close()
    assert 100 * sum(shares) / len(shares) >= LEAST[name]


@pytest.mark.capability("G3")
@pytest.mark.parametrize("near", [(), (memory_sets.SPOKEN,)], ids=["first", "after a question"])
async def test_messages_that_need_nothing_are_given_nothing(tmp_path: Path, near: tuple[str, ...]) -> None:
    async with memory_sets.looked_up(tmp_path) as given:
        messages = memory_sets.needing_nothing()
        answers = [await given(each, *near) for each in messages]
        questions = memory_sets.questions(("company.questions", "company.cross"))
        found = [
            each.answers <= {entry.id for entry in (await given(each.text, *near)).facts}
            for each in questions
        ]
    silent = [not (each.facts or each.passages) for each in answers]
    assert len(messages) >= 100
    assert sum(silent) >= 0.95 * len(messages)
    assert sum(found) >= 0.9 * len(questions)  # and what is asked for is still there


def test_there_are_questions_enough_and_each_has_its_line() -> None:
    count = 0
    for lines, names in memory_sets.SETS.values():
        known = {each[0] for each in memory_sets.facts(lines)}
        for question in memory_sets.questions(names):
            count += 1
            assert question.answers
            assert question.answers <= known, question
    assert count >= 200


def test_the_index_for_measuring_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    index = memory_index([(7, "Anna: We met at the harbour.", "some day"), (8, "Price: 490", "")])
    assert index("Where did they meet?", limit=1) == [7]
    assert index("490") == [8]
    assert index("") == []
    assert list(tmp_path.iterdir())
    del index
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    assert memory_index([])("anything") == []
