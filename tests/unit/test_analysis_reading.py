"""How an analysis is read: its headings, its transfer, its parts, and the numbers that people type."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.flows.analyses.decisions_card import read_numbers
from nanoclaw.flows.analyses.files import AnalysisFiles
from nanoclaw.flows.analyses.findings import MOST_DECISIONS, MOST_FACTS, Finding, Findings
from nanoclaw.flows.analyses.headings import read_headings
from nanoclaw.flows.analyses.interpretation import PART, parts_of, read_answer
from nanoclaw.flows.analyses.transfer_match import ids_in

pytestmark = pytest.mark.capability("B4")

ID, OTHER = "tr_01m7nbq6hhy70g6s2rwz0qk6yw", "tr_01m7nbq6hhy70g6s2rwz0qk6yx"


def test_headings_in_both_languages_give_the_same() -> None:
    english = read_headings(
        "# Report\n\n## 1. Key facts\n* **One** is\n  long\n* *Two*\n\n### Decisions:\nWe stop. — because it rains\n\n"
        "**Context changes**\n- `pricing.md`: 139 instead of 128\n- nowhere: x\n\n## Next step\n4. Plan it\n"
        "## Sources\n- none of ours\n"
    )
    assert [each.text for each in english.facts] == ["One is long", "Two"]
    assert english.facts[0].source == "1. Key facts"
    assert english.decisions == (Finding(text="We stop.", source="Decisions", rationale="it rains"),)
    assert [(each.file, each.text) for each in english.changes] == [("product/pricing", "139 instead of 128")]
    assert english.next_step == "Plan it"
    ukrainian = read_headings(
        "## Факти\n- Один\n\n## Рішення\n- Стоїмо (бо дощить)\n\n## Зміни контексту\n- немає\n\n"
        "## Наступний крок\nКрок 4\n"
    )
    assert [each.text for each in ukrainian.facts] == ["Один"]
    assert ukrainian.decisions[0].rationale == "дощить"
    assert (ukrainian.changes, ukrainian.next_step) == ((), "Крок 4")


@given(st.text(alphabet=st.sampled_from("#*- \nFacts:Decisions`)(—бо|>"), max_size=400))
def test_whatever_is_written_is_read_without_an_error_and_within_bounds(text: str) -> None:
    found = read_headings(text)
    assert len(found.facts) <= MOST_FACTS
    read_answer(text)
    assert "".join(parts_of(text)).split() == text.split()
    assert ids_in(text) == []


def test_what_a_model_says_is_bounded_and_names_of_files_are_ours() -> None:
    said = json.dumps(
        {
            "facts": [{"text": f"Fact {each}"} for each in range(300)]
            + [{"text": "x" * 2000}, {"text": "\u200b"}],
            "decisions": [{"text": f"Decision {each}", "rationale": None} for each in range(60)],
            "context_changes": [
                {"file": "../../etc/passwd", "change": "x"},
                {"file": "pricing", "text": "y"},
            ],
            "next_step": "z" * 900,
        }
    )
    found = read_answer(f"Here you are:\n```json\n{said}\n```")
    assert found
    assert (len(found.facts), len(found.decisions)) == (MOST_FACTS, MOST_DECISIONS)
    assert [each.file for each in found.changes] == ["product/pricing"]
    assert len(found.next_step) == 300
    assert Findings.of(json.loads(json.dumps(found.stored()))) == found
    assert read_answer("No JSON at all.") is None
    assert read_answer('{"facts": "none"}') is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Transfer ID: {ID}", [ID]),
        (f"**Transfer-ID**: `{ID.upper()}` and {OTHER}", [ID]),
        (f"| transfer_id | {ID} |", [ID]),
        (f"see {ID} and {OTHER}, {ID}", [ID, OTHER]),
        (f"x{ID}", []),
        (f"{ID}x", []),
        ("tr_short", []),
    ],
)
def test_the_id_of_a_transfer_is_found_in_any_form(text: str, found: list[str]) -> None:
    assert ids_in(text) == found


def test_a_long_document_is_cut_at_headings() -> None:
    text = "".join(f"\n# {number}\n{'word ' * 5000}" for number in range(5))
    parts = parts_of(text)
    assert "".join(parts) == text
    assert all(len(each) <= PART for each in parts)
    assert all(each.startswith("\n# ") for each in parts)
    assert len("".join(parts_of("x" * (PART * 2 + 1)))) == PART * 2 + 1


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("1, 3-5", [1, 3, 4, 5]),
        ("№2 та 4", [2, 4]),
        ("1 and 2.", [1, 2]),
        ("6", []),
        ("0", []),
        ("all of them", []),
        ("1 maybe", []),
        ("", []),
    ],
)
def test_numbers_as_people_type_them(said: str, numbers: list[int]) -> None:
    assert read_numbers(said, 5) == numbers


async def test_what_another_host_may_be_writing_is_not_swept_away(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "analyses"
    for name in ("an_old", "an_new"):
        (folder / name).mkdir(parents=True)
    os.utime(folder / "an_old", (0, 0))
    assert await AnalysisFiles(home=tmp_path).left() == ["an_old"]
