"""CLAUDE.md: sections change, and every byte that a change is not about stays."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from nanoclaw.domain.text import estimated_tokens
from nanoclaw.memory import claude_md
from nanoclaw.memory.claude_md import FILE, Section, Sections
from nanoclaw.memory.entries import FACTS, BadLine, Fact
from nanoclaw.memory.files import MemoryFiles

AT = datetime(2026, 3, 1, tzinfo=UTC)
NEW = "2026-03-01: asked about prices"


@pytest.fixture
def files(tmp_path: Path) -> MemoryFiles:
    (tmp_path / "companies" / "demo" / "memory").mkdir(parents=True)
    return MemoryFiles(tmp_path)


def starter(language: str) -> str:
    root = resources.files("nanoclaw.host") / "starter" / language
    return (root / "companies/demo/memory/CLAUDE.md").read_text(encoding="utf-8")


def added(before: str, after: str) -> str:
    """What was put in, at one place; nothing else may differ."""
    head = 0
    while head < len(before) and before[head] == after[head]:
        head += 1
    size = len(after) - len(before)
    for start in range(head, -1, -1):
        if after[:start] + after[start + size :] == before and after[start : start + size].endswith("\n"):
            return after[start : start + size]
    raise AssertionError("other bytes changed")


@pytest.mark.parametrize("language", ["en", "uk"])
@pytest.mark.capability("G2")
def test_in_the_starter_workspaces_each_kind_of_change_touches_its_own_line(language: str) -> None:
    before = starter(language)
    sections = Sections.read(before)
    assert [len(sections.items(each)) for each in Section] == [0, 4, 6, 5, 5]
    newest = sections.with_activity(NEW)
    assert added(before, newest.text) == f"- {NEW}\n"
    assert newest.items(Section.ACTIVITY)[:2] == [NEW, sections.items(Section.ACTIVITY)[:1][0]]
    assert added(before, sections.with_priority("Open in Poland").text) == "5. Open in Poland\n"
    assert added(before, sections.with_preference("No calls").text) == "- No calls\n"
    assert added(before, sections.with_decision("No capsules, ever").text) == "- No capsules, ever\n"
    done = sections.items(Section.PRIORITIES)[1]
    assert added(sections.without_priority(done).text, before).startswith("2. ")
    old = sections.items(Section.DECISIONS)[0]
    changed = sections.with_decision("Prices rise in May", replaces=old)
    assert changed.text == before.replace(old, "Prices rise in May")


def test_a_change_that_is_there_already_changes_nothing() -> None:
    once = Sections.read(starter("en")).with_activity(NEW).with_decision("Pricing: $490")
    assert once.with_activity(NEW + ".").with_decision("Pricing: $490").text == once.text
    # The same label says that it is the same decision.
    again = once.with_decision("Pricing: $690")
    assert again.text == once.text.replace("$490", "$690")
    assert once.without_priority("something else").text == once.text


@pytest.mark.parametrize(
    "before",
    [
        "",
        "\n\n",
        "just words, no heading, no end of line",
        "# Ours\n\n## Notes\n\n- keep\n",
        "\ufeff## Key Decisions\r\n\r\n- one\r\n",
        "## Owner Preferences",
        "```\n## Recent Activity\n- not a list\n```\n",
        "## Recent Activity\n## Key Decisions\n",
        "## Recent Activity\n\nNothing happened yet.\n\n\n## Other\n",
        "<!-- ## Recent Activity -->\n",
        "\udcff\udcfe odd bytes\n# x\n",
    ],
)
@pytest.mark.capability("G2")
def test_a_missing_section_is_made_when_it_is_needed_and_the_rest_stays(before: str) -> None:
    made = Sections.read(before).with_activity(NEW)
    assert made.items(Section.ACTIVITY)[:5] == [NEW]
    assert made.with_activity("2026-03-02: more").items(Section.ACTIVITY)[:5] == ["2026-03-02: more", NEW]
    eol = "\r\n" if "\r\n" in before else "\n"
    is_last = made.text.endswith(f"- {NEW}{eol}")
    filled = before + eol if is_last and before and not before.endswith("\n") else before
    words = added(filled, made.text)
    assert words.strip().endswith(f"- {NEW}")
    assert made.text.count("\r\n") in (0, made.text.count("\n"))


@pytest.mark.parametrize(
    "heading",
    [
        "## Recent Activity (last 10)", "# recent activity:", "### 📌 Recent Activity ###", "Recent Activity\n---",
        "## Остання активність", "## Недавня активність (останні 10)", "## **Recent Activity**", "##  RECENT  ACTIVITY",
    ],
)  # fmt: skip
def test_headings_are_known_as_people_write_them(heading: str) -> None:
    before = f"# Ми\n\n{heading}\n\n* 2026-02-01: one\n\n## Ключові рішення\n- Ціна: 490\n"
    made = Sections.read(before).with_activity(NEW)
    assert added(before, made.text) == f"* {NEW}\n"
    assert "Ціна: 690" in made.with_decision("Ціна: 690").items(Section.DECISIONS)


@given(some.text(alphabet=some.sampled_from(list("#-*1. \n\r\t`>ab:")), max_size=80))
def test_whatever_a_person_wrote_survives(before: str) -> None:
    made = Sections.read(before).with_activity(NEW).with_priority("Grow").with_decision("Stay: small")
    rest = made.text
    for line in (f"- {NEW}", "Grow", "Stay: small"):
        assert line in rest
    left = iter(made.text)
    assert all(letter in left for letter in before)


def test_a_long_or_many_lined_text_becomes_one_item() -> None:
    made = Sections.read("").with_activity("one\n## Key Decisions\n- two" + " x" * 5000)
    [item] = made.items(Section.ACTIVITY)
    assert len(item) <= 400
    assert made.items(Section.DECISIONS) == []


def grown(count: int, words: str = "did it") -> str:
    text = "# Us\n\n## Recent Activity\n\n"
    return (
        text
        + "".join(f"- 2026-01-{31 - n // 2:02}: {n} {words}\n" for n in range(count))
        + "\n## Notes\nmine\n"
    )


@pytest.mark.capability("G2")
def test_above_fifty_items_the_oldest_25_become_facts_once(files: MemoryFiles) -> None:
    path = files.folder("demo") / FILE
    path.write_text(grown(50))
    add: Callable[[Sections], Sections] = lambda sections: sections.with_activity(NEW)  # noqa: E731
    result = claude_md.update(files, "demo", add, AT)
    assert result.is_written
    assert len(result.moved) == 25
    assert len(claude_md.read(files, "demo").items(Section.ACTIVITY)) == 26
    assert path.read_text().endswith("did it\n\n## Notes\nmine\n")
    moved = [line for line, _ in files.read_from("demo", FACTS)]
    assert [line.fact.split()[1] for line in moved if isinstance(line, Fact)] == [
        str(n) for n in range(49, 24, -1)
    ]
    assert {line.kind for line in moved if isinstance(line, Fact)} == {"activity"}
    assert {line.timestamp.month for line in moved if not isinstance(line, BadLine)} == {1}
    # Killed before CLAUDE.md was replaced: the same again, and no fact is doubled.
    path.write_text(grown(50))
    claude_md.update(files, "demo", add, AT)
    assert [line for line, _ in files.read_from("demo", FACTS)] == moved


@pytest.mark.capability("G2")
def test_above_2000_tokens_activity_goes_until_the_file_is_small_again() -> None:
    made, moved = Sections.read(grown(45, "українських слів " * 6)).rotated()
    assert estimated_tokens(made.text) <= 2000
    assert len(moved) == 25
    kept, gone = Sections.read(grown(12) + "слово " * 4000).rotated()
    assert (len(kept.items(Section.ACTIVITY)), len(gone)) == (5, 7)
    assert kept.text.endswith("слово " * 4000)


def test_the_newest_stay_also_in_a_list_that_grows_downwards() -> None:
    days = [f"- 2026-01-{day:02}: x{day}\n" for day in range(1, 32)] + [
        f"- 2026-02-{day:02}: y\n" for day in range(1, 25)
    ]
    made, moved = Sections.read("## Recent Activity\n" + "".join(days)).rotated()
    assert (moved[0], len(moved)) == ("2026-01-01: x1", 25)
    assert "2026-02-24: y" in made.items(Section.ACTIVITY)


@pytest.mark.attack
def test_a_link_or_a_huge_file_in_its_place_is_left_alone(files: MemoryFiles, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("- key\n")
    place = files.folder("demo") / FILE
    place.symlink_to(secret)
    add: Callable[[Sections], Sections] = lambda sections: sections.with_activity(NEW)  # noqa: E731
    assert claude_md.update(files, "demo", add, AT).is_refused
    assert (place.is_symlink(), secret.read_text()) == (True, "- key\n")
    place.unlink()
    place.write_text("x" * (claude_md.MOST_BYTES + 1))
    assert claude_md.update(files, "demo", add, AT).is_refused
    place.unlink()
    assert claude_md.update(files, "demo", add, AT).is_written


@pytest.mark.attack
@pytest.mark.parametrize(
    "text",
    [
        "# a\n" * 10_000,
        "## Recent Activity\n" + "- x\n" * 10_000,
        "## Recent Activity\n" + "".join(" " * n + "- x\n" for n in range(300)),
        ">" * 200_000,
        "[" * 200_000,
        "*a " * 80_000,
    ],
    ids=["headings", "items", "nested", "quotes", "brackets", "stars"],
)
def test_no_text_makes_it_slow(text: str) -> None:
    started = time.process_time()
    made, _ = Sections.read(text).with_activity(NEW).rotated()
    assert made.items(Section.ACTIVITY)[:1] == [NEW]
    assert time.process_time() - started < 10
