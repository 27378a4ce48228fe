"""The files of memory: what is read from whatever lies there, and what an append leaves behind."""

import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from nanoclaw.domain.memory import EntryKind, EntryState, Trust
from nanoclaw.memory.entries import (
    DECISIONS,
    FACTS,
    BadLine,
    Decision,
    Fact,
    Line,
    Provenance,
    Reason,
    Restoration,
    Tombstone,
    entry_of,
    new_fact_id,
    read_line,
    write_line,
)
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.states import State, States

AT = datetime(2026, 2, 28, 14, 30, tzinfo=UTC)


@pytest.fixture
def files(tmp_path: Path) -> MemoryFiles:
    (tmp_path / "companies" / "demo").mkdir(parents=True)
    return MemoryFiles(tmp_path)


def a_fact(text: str = "The plan costs $490", line_id: str = "", **fields: object) -> Fact:
    return Fact.model_validate({"id": line_id or new_fact_id(AT), "timestamp": AT, "fact": text, **fields})


def read(files: MemoryFiles, file: str = FACTS) -> list[Line | BadLine]:
    return [line for line, _ in files.read_from("demo", file)]


def put(files: MemoryFiles, content: bytes, file: str = FACTS) -> Path:
    path = files.folder("demo") / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.capability("G1")
def test_a_fact_of_the_seed_is_read_and_unknown_fields_come_back_when_it_is_written() -> None:
    body = {
        "id": "fact_20260228_001",
        "timestamp": "2026-02-28T14:30:00Z",
        "domain": "marketing",
        "topic": "competitors",
        "fact": "Projector Institute charges $300-800 per course",
        "source": "web_search",
        "confidence": 0.85,
        "evidence_grade": "IV",
        "expires": None,
        "related_to": ["pricing", "competitors", "projector"],
        "extracted_by": "marketing/market-intelligence/analyst",
        "seen_in": {"page": [1, 2]},
    }
    line = read_line(json.dumps(body).encode())
    assert isinstance(line, Fact)
    assert json.loads(write_line(line)) == body
    entry = entry_of("demo", FACTS, line)
    assert (entry.kind, entry.at, entry.trust) == (EntryKind.FACT, AT, Trust.OWNER)
    assert entry.related == ("pricing", "competitors", "projector")


@pytest.mark.capability("G1")
def test_approvals_of_questions_are_read_and_do_not_bind() -> None:
    approval: dict[str, object] = {
        "id": "q_01k9",
        "timestamp": AT.isoformat(),
        "type": "hitl",
        "domain": "content/poster",
        "decision": "Publish? -> Yes " + "x" * 20_000,
        "rationale": "",
        "made_by": None,
        "reversible": True,
        "affects": [],
        "supersedes": None,
        "binding": True,
        "user": "olena",
        "payload": {"deep": [1, None]},
    }
    line = read_line(json.dumps(approval).encode())
    assert isinstance(line, Decision)
    entry = entry_of("demo", DECISIONS, line)
    assert (entry.kind, entry.is_binding, entry.person) == (EntryKind.DECISION, False, "olena")
    ours = Decision(id="dec_1", timestamp=AT, decision="No capsules", rationale="too much waste")
    assert entry_of("demo", DECISIONS, ours).is_binding
    heard = ours.model_copy(update={"provenance": Provenance(trust=Trust.HEARSAY)})
    assert not entry_of("demo", DECISIONS, heard).is_binding


@pytest.mark.parametrize(
    ("raw", "reason", "field"),
    [
        (b"{broken", Reason.JSON, ""),
        (b"\xff\xfe{\x00}\x00", Reason.ENCODING, ""),
        (b'["fact"]', Reason.SHAPE, ""),
        (b'{"note": "?"}', Reason.SHAPE, ""),
        (b'{"timestamp": "2026-02-28", "fact": "a"}', Reason.FIELD, "id: missing"),
        (b'{"id": "a b", "timestamp": "2026-02-28", "fact": "a"}', Reason.FIELD, "id: string_pattern_mismatch"),
        (b'{"id": "a", "timestamp": 17, "fact": "a"}', Reason.FIELD, "timestamp: value_error"),
        (b'{"id": "a", "timestamp": "soon", "fact": "a"}', Reason.FIELD, "timestamp: value_error"),
        (b'{"id": "a", "timestamp": "2026-02-28", "fact": 5}', Reason.FIELD, "fact: string_type"),
        (b'{"id": "a", "timestamp": "2026-02-28", "fact": "\\u0000"}', Reason.FIELD, "fact: value_error"),
        (b'{"id": "a", "timestamp": "2026-02-28", "fact": "\\ud800"}', Reason.JSON, ""),
        (b'{"id": "a", "timestamp": "2026-02-28", "fact": "a", "confidence": NaN}', Reason.JSON, ""),
        (b'{"id": "a", "timestamp": "2026-02-28", "fact": "a", "public": "yes"}', Reason.FIELD, "public: bool_type"),
        (b'{"id": "a", "timestamp": "2026-02-28", "fact": "' + b"x" * 50_000 + b'"}', Reason.LONG, "fact"),
        (b'{"a":' * 100_000, Reason.JSON, ""),
    ],
)  # fmt: skip
@pytest.mark.capability("G4")
def test_a_line_that_cannot_be_used_says_why_and_not_what_it_holds(
    raw: bytes, reason: Reason, field: str
) -> None:
    line = read_line(raw)
    assert isinstance(line, BadLine)
    assert (line.reason, line.field) == (reason, field)
    assert raw.startswith(line.raw)


@given(
    some.binary(max_size=300)
    | some.text(max_size=100).map(lambda text: json.dumps({"id": text, "fact": text}).encode())
)
def test_whatever_a_line_holds_it_is_read_without_an_error(raw: bytes) -> None:  # fmt: skip
    assert isinstance(read_line(raw), BadLine)


@pytest.mark.capability("G4")
def test_a_messy_file_gives_every_good_line_and_the_place_of_every_bad_one(files: MemoryFiles) -> None:
    one, two, three = (write_line(a_fact(text, text)) for text in ("one", "two", "three"))
    future = write_line(a_fact("later", "later", timestamp=AT + timedelta(days=4000)))
    huge = b'{"id": "huge", "fact": "' + b"x" * 5_000_000 + b'"}\r\n'
    pieces = [
        b"\xef\xbb\xbf" + one.replace(b"\n", b"\r\n"),
        b"\r\n",
        b"{broken\n",
        huge,
        two,
        one,
        future,
        three[:-1],
    ]
    put(files, b"".join(pieces))
    found = read(files)
    assert [line.id for line in found if not isinstance(line, BadLine)] == [
        "one",
        "two",
        "one",
        "later",
        "three",
    ]
    wrong = [line for line in found if isinstance(line, BadLine)]
    assert [line.reason for line in wrong] == [Reason.JSON, Reason.LONG]
    assert [line.offset for line in wrong] == [len(b"".join(pieces[:2])), len(b"".join(pieces[:3]))]
    assert {line.file for line in wrong} == {FACTS}
    assert len(wrong[1].raw) < 100_000


@pytest.mark.capability("G4")
def test_what_was_read_last_time_is_not_read_again(files: MemoryFiles) -> None:
    files.append("demo", [a_fact("one", "one")])
    [(_, end)] = files.read_from("demo", FACTS)
    known = files.stamp("demo", FACTS)
    assert known is not None
    files.append("demo", [a_fact("two", "two")])
    later = files.stamp("demo", FACTS, upto=known.bytes)
    assert later is not None
    assert later.digest == known.digest
    assert [line.id for line, _ in files.read_from("demo", FACTS, end) if isinstance(line, Fact)] == ["two"]
    # The digest that grew with the appends is that of the file.
    assert files.stamp("demo", FACTS) == MemoryFiles(files.folder("demo").parents[1]).stamp("demo", FACTS)
    path = files.folder("demo") / FACTS
    path.write_bytes(path.read_bytes().replace(b'"one"', b'"One"'))
    edited = files.stamp("demo", FACTS, upto=known.bytes)
    assert edited is not None
    assert edited.digest != known.digest


@pytest.mark.capability("G1", "G4")
def test_lines_are_appended_once_to_the_files_of_their_kinds(files: MemoryFiles) -> None:
    fact = a_fact()
    decision = Decision(id="dec_20260228_a", timestamp=AT, decision="Telegram first")
    gone = Tombstone(id="tomb_20260228_a", timestamp=AT, forgets=decision.id)
    assert files.append("demo", [fact, decision, gone]) == [fact, decision, gone]
    assert files.append("demo", [fact, decision, gone]) == []
    # A line that merely mentions an id does not hide it.
    correction = a_fact("It costs $690", supersedes="fact_20260228_new")
    named = a_fact("The other", "fact_20260228_new")
    files.append("demo", [correction])
    assert files.append("demo", [named]) == [named]
    assert read(files) == [fact, correction, named]
    assert read(files, DECISIONS) == [decision, gone]


@pytest.mark.parametrize("cut", [1, 40, -1])
@pytest.mark.capability("G4")
def test_a_line_that_a_crash_cut_off_is_completed(files: MemoryFiles, cut: int) -> None:
    first, second = a_fact("one", "one"), a_fact("two", "two")
    path = put(files, write_line(first) + write_line(second)[:cut])
    files.append("demo", [first, second, a_fact("three", "three")])
    assert [line.id for line in read(files) if isinstance(line, Fact)] == ["one", "two", "three"]
    assert path.read_bytes().count(b"\n") == 3


@pytest.mark.capability("G4")
def test_half_a_line_of_somebody_else_is_kept_and_named(files: MemoryFiles) -> None:
    put(files, b'{"id": "theirs", "fa')
    [torn] = read(files)
    assert isinstance(torn, BadLine)
    assert torn.reason is Reason.TORN
    files.append("demo", [a_fact("mine", "mine")])
    kept, mine = read(files)
    assert isinstance(kept, BadLine)
    assert kept.raw == b'{"id": "theirs", "fa\n'
    assert isinstance(mine, Fact)


@pytest.mark.attack
@pytest.mark.parametrize("trap", ["link", "dangling", "pipe", "folder"])
def test_nothing_is_read_or_written_through_a_trap_in_place_of_a_file(
    files: MemoryFiles, tmp_path: Path, trap: str
) -> None:
    place = files.folder("demo") / FACTS
    place.parent.mkdir()
    outside = tmp_path / "outside"
    if trap != "dangling":
        outside.write_text("secret\n")
    match trap:
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case _:
            place.symlink_to(outside)
    [line] = read(files)
    assert isinstance(line, BadLine)
    assert line.reason is Reason.NOT_A_FILE
    assert files.stamp("demo", FACTS) is None
    files.append("demo", [a_fact("mine", "mine")])
    assert [line.id for line in read(files) if isinstance(line, Fact)] == ["mine"]
    assert place.is_file()
    assert not place.is_symlink()
    assert not outside.exists() or outside.read_text() == "secret\n"


def states(lines: Iterable[Line]) -> Mapping[str, State]:
    return States(lines).changed()


def forgets(entry: str, minute: int, **fields: object) -> Tombstone:
    at = AT + timedelta(minutes=minute)
    return Tombstone.model_validate({"id": f"tomb_{minute}", "timestamp": at, "forgets": entry, **fields})


def restores(entry: str, minute: int) -> Restoration:
    return Restoration(id=f"back_{minute}", timestamp=AT + timedelta(minutes=minute), restores=entry)


@pytest.mark.capability("G7")
def test_the_last_word_about_an_entry_counts_whatever_the_order_of_the_lines() -> None:
    fact = a_fact("one", "one")
    gone = (EntryState.FORGOTTEN, None)
    assert states([forgets("one", 1), fact]) == {"one": gone}
    assert states([fact, restores("one", 2), forgets("one", 1)]) == {}
    assert states([forgets("one", 3), fact, restores("one", 2), forgets("one", 1)]) == {"one": gone}


@pytest.mark.capability("G7")
def test_an_entry_is_superseded_as_long_as_what_replaced_it_is_not_forgotten() -> None:
    old, new = a_fact("490", "old"), a_fact("690", "new", supersedes="old")
    newest = a_fact("790", "newest", supersedes="new")
    gone, by_new = (EntryState.FORGOTTEN, None), (EntryState.SUPERSEDED, "new")
    assert states([new, old]) == {"old": by_new}
    assert states([old, new, newest]) == {"old": by_new, "new": (EntryState.SUPERSEDED, "newest")}
    assert states([old, new, newest, forgets("newest", 1)]) == {"old": by_new, "newest": gone}
    assert states([old, new, forgets("new", 1)]) == {"new": gone}
    assert states([old, new, forgets("new", 1), restores("new", 2)]) == {"old": by_new}
    # The middle one is forgotten: what replaced it still stands for the first.
    assert states([old, new, newest, forgets("new", 1)]) == {
        "old": (EntryState.SUPERSEDED, "newest"),
        "new": gone,
    }


@pytest.mark.capability("G8")
def test_hearsay_supersedes_hearsay_alone() -> None:
    heard = Provenance(trust=Trust.HEARSAY)
    old, rumour = a_fact("490", "old"), a_fact("1", "rumour", supersedes="old", provenance=heard)
    assert states([old, rumour]) == {}
    doubt = a_fact("490", "old", provenance=heard)
    assert states([doubt, rumour]) == {"old": (EntryState.SUPERSEDED, "rumour")}


def test_entries_that_supersede_each_other_leave_the_newest() -> None:
    one = a_fact("1", "one", supersedes="two")
    two = a_fact("2", "two", supersedes="one", timestamp=AT + timedelta(days=1))
    self_named = a_fact("3", "three", supersedes="three")
    assert states([one, two, self_named]) == {"one": (EntryState.SUPERSEDED, "two")}


@pytest.mark.capability("G6")
def test_a_double_comes_back_when_the_one_that_was_kept_is_forgotten() -> None:
    kept, double = a_fact("490", "kept"), a_fact("490 ", "double")
    mark = forgets("double", 1, superseded_by="kept", reason="duplicate")
    assert states([kept, double, mark]) == {"double": (EntryState.SUPERSEDED, "kept")}
    assert states([kept, double, mark, forgets("kept", 2)]) == {"kept": (EntryState.FORGOTTEN, None)}
    assert states([kept, double, mark, restores("double", 2)]) == {}
