"""Facts from the files that people have."""

import json
from datetime import UTC, datetime

import pytest

from nanoclaw.domain.memory import Trust
from nanoclaw.memory.entries import Decision, Provenance, Reason
from nanoclaw.memory.imports import MOST_BYTES, read_import

AT = datetime(2026, 3, 1, tzinfo=UTC)
OWNER = Provenance(person="mia", trust=Trust.MEMBER, via="import")


@pytest.mark.capability("G1")
def test_markdown_gives_a_fact_for_each_item_paragraph_and_row_with_its_heading() -> None:
    text = (
        "\ufeff# Ціни\n\n- «Іскра» **11 євро**\n- «Маяк» 36 євро\n  - для дому\n\nЗнижок немає\nвзимку.\n\n"
        "## Delivery\n\n```\nno fact\n```\n\n| City | Days |\n|---|---|\n| Kyiv | 2 |\n"
    )
    found = read_import("prices.MD", text.encode(), AT, OWNER)
    assert [(line.text, getattr(line, "topic", "")) for line in found.lines] == [
        ("«Іскра» 11 євро", "Ціни"),
        ("«Маяк» 36 євро", "Ціни"),
        ("для дому", "Ціни"),
        ("Знижок немає взимку.", "Ціни"),
        ("Kyiv, 2", "Delivery"),
    ]
    assert {line.provenance for line in found.lines} == {OWNER}
    assert read_import("prices.md", text.encode(), AT, OWNER) == read_import(
        "prices.md", text.encode(), AT, OWNER
    )


def test_a_plain_text_gives_a_fact_for_each_line_once() -> None:
    found = read_import("notes.txt", b"\xef\xbb\xbf- one\r\n\r\n* two\n- one\n" + b"x" * 9000, AT, OWNER)
    assert [line.text for line in found.lines] == ["one", "two"]
    assert [(line.reason, line.offset) for line in found.bad_lines] == [(Reason.LONG, 5)]
    [wrong] = read_import("notes.txt", b"\xff\xfe\x00", AT, OWNER).bad_lines
    assert wrong.reason is Reason.ENCODING


@pytest.mark.capability("G1", "G8")
def test_json_lines_keep_their_ids_and_never_say_themselves_how_far_they_are_believed() -> None:
    lines: list[object] = [
        {
            "id": "fact_1",
            "timestamp": "2025-01-01",
            "fact": "a",
            "provenance": {"trust": "owner", "person": "eve"},
        },
        {"text": "b", "topic": "t", "confidence": 0.5},
        "c",
        {"decision": "No capsules", "type": "strategic"},
        {"forgets": "fact_1", "id": "tomb_1", "timestamp": "2025-01-01"},
        {"fact": 7},
        [1],
    ]
    content = b"\n".join(json.dumps(each).encode() for each in lines) + b"\n{broken\n"
    found = read_import("facts.jsonl", content, AT, OWNER)
    assert [line.text for line in found.lines] == ["a", "b", "c", "No capsules"]
    assert (found.lines[0].id, found.lines[0].timestamp.year) == ("fact_1", 2025)
    assert isinstance(found.lines[3], Decision)
    assert {line.provenance for line in found.lines} == {OWNER}
    assert [line.offset for line in found.bad_lines] == [5, 6, 7, 8]


def test_a_huge_file_is_refused() -> None:
    found = read_import("facts.jsonl", b"x" * (MOST_BYTES + 1), AT, OWNER)
    assert [line.reason for line in found.bad_lines] == [Reason.LONG]
