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
