"""What the monthly maintenance marks, what it moves, and that nothing is lost when it is killed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.loaded import killed_at
from tests.memory_kills import keep_in_order

from nanoclaw.domain.memory import EntryState, Trust
from nanoclaw.memory.duplicates import doubles
from nanoclaw.memory.entries import FACTS, Decision, Fact, Line, Provenance, Tombstone, write_line
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.maintenance import maintain
from nanoclaw.memory.states import States
from nanoclaw.memory.verification import ProblemKind, verify

AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def files(tmp_path: Path) -> MemoryFiles:
    (tmp_path / "companies" / "demo").mkdir(parents=True)
    return MemoryFiles(tmp_path)


def a_fact(text: str, line_id: str, days: int = 0, **fields: object) -> Fact:
    return Fact.model_validate(
        {"id": line_id, "timestamp": AT - timedelta(days=days), "fact": text, **fields}
    )


def told_by(trust: Trust) -> Provenance:
    return Provenance(trust=trust)


def known(files: MemoryFiles) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for _, line in files.lines("demo"):
        found.setdefault(line.id, line)
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Spark plan costs 11 euro a month.", "the spark plan costs 11 euro a month"),
        ("Ціна «Іскри» 11 євро", "Ціна Іскри: 11 євро!"),
        (
            "Orders are shipped on Tuesday and Friday within Ukraine only",
            "orders are shipped on Tuesday and Friday within all Ukraine only",
        ),
        ("Львів’яни люблять каву", "Львів'яни люблять каву"),
    ],
)
@pytest.mark.capability("G6")
def test_facts_that_say_the_same_are_found(one: str, other: str) -> None:
    [double] = doubles([a_fact(one, "one", 5), a_fact(other, "other", 1)])
    assert (double.gone.id, double.kept.id) == ("one", "other")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Spark plan costs 11 euro a month", "The Spark plan costs 12 euro a month"),
        ("It costs $490", "It costs 490%"),
        ("We ship orders to customers in Poland every week", "We never ship orders to customers in Poland every week"),
        ("Ми возимо замовлення до Польщі щотижня і завжди", "Ми не возимо замовлення до Польщі щотижня і завжди"),
        ("In spring the office of Anna moves to Lviv for good", "In spring the office of Olena moves to Lviv for good"),
        ("today anna pays the invoice of the shop for olena", "today olena pays the invoice of the shop for anna"),
        ("tea", "coffee"),
    ],
)  # fmt: skip
@pytest.mark.capability("G6")
def test_facts_that_differ_in_a_number_a_name_or_a_no_are_not(one: str, other: str) -> None:
    assert doubles([a_fact(one, "one"), a_fact(other, "other")]) == []


@pytest.mark.capability("G6", "G8")
def test_of_doubles_the_most_trusted_stays_then_the_newest(files: MemoryFiles) -> None:
    text = "Wholesale begins at 40 kg"
    files.append(
        "demo",
        [
            a_fact(text, "owner-old", 9, provenance=told_by(Trust.OWNER)),
            a_fact(text + ".", "owner", 5, provenance=told_by(Trust.OWNER)),
            a_fact(text, "heard", 1, provenance=told_by(Trust.HEARSAY)),
            a_fact(text, "public", 1, public=True),
            a_fact("2026-03-01: said hello", "ran", kind="activity"),
            a_fact("2026-03-01: said hello", "again", kind="activity"),
            a_fact("Discount", "over", 90, expires="2026-02-01"),
            a_fact("Fair", "later", 90, expires="2026-03-01"),
            a_fact("Wholesale begins at 40 kg", "forgotten"),
            Tombstone(id="tomb_1", timestamp=AT, forgets="forgotten"),
        ],
    )
    report = maintain(files, "demo", AT)
    assert set(report.doubles) == {("owner-old", "owner"), ("heard", "owner")}
    assert report.expired == ("over",)
    states = States(line for _, line in files.lines("demo"))
    assert states.of("heard") == (EntryState.SUPERSEDED, "owner")
    assert states.of("over") == (EntryState.FORGOTTEN, None)
    assert maintain(files, "demo", AT).is_empty


def many(count: int) -> list[Line]:
    lines: list[Line] = [a_fact(f"Customer {n} ordered {n} kg", f"fact_{n:04}", n) for n in range(count)]
    lines += [
        Tombstone(id="tomb_5", timestamp=AT, forgets="fact_0005"),
        a_fact("It is 7 kg after all", "fact_new", 0, supersedes="fact_0007"),
        a_fact("Somebody guesses that it rains", "fact_guess", 2, confidence=0.2),
        Decision(id="dec_1", timestamp=AT, decision="No capsules"),
    ]
    return lines


@pytest.mark.capability("G6")
def test_above_a_thousand_the_oldest_of_the_least_worth_move_to_the_archive(files: MemoryFiles) -> None:
    files.append("demo", many(1003))
    path = files.folder("demo") / FACTS
    before = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + before.replace(b"\n", b"\r\n", 3) + b"\n{broken\n")
    everything, total = known(files), States(line for _, line in files.lines("demo")).changed()
    report = maintain(files, "demo", AT)
    # 1005 facts: those that are not live, the guess, then the oldest.
    assert set(report.archived) == {"fact_0005", "fact_0007", "fact_guess", "fact_1002", "fact_1001"}
    assert (report.facts, report.bad_lines) == (1000, 1)
    assert report.archived["fact_1002"] == "memory/archive/facts-2023.jsonl"
    assert known(files) == everything
    assert States(line for _, line in files.lines("demo")).changed() == total
    left = path.read_bytes()
    assert left.endswith(b"\n{broken\n")
    assert b"tomb_5" not in left
    assert all(line in before for line in left.replace(b"\r\n", b"\n").splitlines()[1:-2])
    assert maintain(files, "demo", AT).is_empty


@pytest.mark.capability("G6")
def test_lines_that_a_merge_brings_back_from_the_archive_leave_again(files: MemoryFiles) -> None:
    files.append("demo", many(1003))
    path = files.folder("demo") / FACTS
    before = path.read_bytes()
    maintain(files, "demo", AT)
    after = path.read_bytes()
    path.write_bytes(before)
    assert maintain(files, "demo", AT).archived == {}
    assert path.read_bytes() == after


@pytest.mark.capability("G6")
def test_killed_anywhere_maintenance_loses_and_doubles_nothing(files: MemoryFiles, tmp_path: Path) -> None:
    """Killed at one moment after the other, until it ends by itself."""
    files.append("demo", many(60))
    everything = set(known(files))
    moment, ended = 0, False
    while not ended:
        moment += 7
        events = ("open", "os.rename", "os.truncate")
        ended = not killed_at(moment, events, keep_in_order, tmp_path, AT, 20)
        assert everything <= set(known(files))
        assert [p for p in verify(tmp_path, "demo", None) if p.is_fault] == []
    maintain(files, "demo", AT, 20)
    facts = [line for line, _ in files.read_from("demo", FACTS) if isinstance(line, Fact)]
    assert len(facts) == 20
    lines = [line.id for _, line in files.lines("demo")]
    assert len(lines) == len(set(lines))
    assert moment > 7


def test_what_stays_is_written_as_it_was(files: MemoryFiles) -> None:
    odd = b'{"fact": "odd  spaces",   "id": "odd", "timestamp": "2026-02-28", "x": 1.50}\n'
    path = files.folder("demo") / FACTS
    path.parent.mkdir()
    path.write_bytes(odd + b"\n" + write_line(a_fact("old", "old", 400)) + odd.replace(b'"odd"', b'"odd2"'))
    maintain(files, "demo", AT, 0)
    assert path.read_bytes() == b"\n"
    archived = b"".join(each.read_bytes() for each in sorted((path.parent / "archive").iterdir()))
    assert odd in archived


@pytest.mark.capability("G4")
def test_verify_names_what_is_wrong_and_where(files: MemoryFiles, tmp_path: Path) -> None:
    path = files.folder("demo") / FACTS
    path.parent.mkdir()
    one, other = a_fact("one", "one"), a_fact("another", "one")
    late = a_fact("late", "late", -900, supersedes="nobody")
    purged = Tombstone(id="gone_1", timestamp=AT, forgets="was", purged="0" * 64)
    back = a_fact("was", "was")
    lines: list[Line] = [one, late, one, other, purged, back]
    path.write_bytes(b"\n{broken\n" + b"".join(map(write_line, lines)))
    (path.parent / "CLAUDE.md").write_text("words " * 3000)
    found = {(p.kind, p.line, p.id, p.detail) for p in verify(tmp_path, "demo", ["one", "was", "lost"], AT)}
    assert found == {
        (ProblemKind.BAD_LINE, 2, "", "json"),
        (ProblemKind.FUTURE, 4, "late", ""),
        (ProblemKind.UNKNOWN_ID, 4, "late", "nobody"),
        (ProblemKind.REPEATED_LINE, 5, "one", ""),
        (ProblemKind.REPEATED_ID, 6, "one", ""),
        (ProblemKind.PURGED, 0, "was", ""),
        (ProblemKind.NOT_INDEXED, 0, "late", ""),
        (ProblemKind.NOT_IN_FILES, 0, "lost", ""),
        (ProblemKind.SECTIONS_BIG, 0, "", "4500 tokens"),
    }
    assert verify(tmp_path, "nothing-there", []) == []
