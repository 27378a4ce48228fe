"""What a package is made of: quotes that nothing gets out of, fair parts of the room, and the step of the work."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.memory import Entry, EntryKind
from nanoclaw.durable.session_record import SaidLine
from nanoclaw.flows.transfers.bundle import shared
from nanoclaw.flows.transfers.quotes import cut, in_line, quoted
from nanoclaw.flows.transfers.recent import speaker
from nanoclaw.flows.transfers.snapshot import snapshot
from nanoclaw.flows.transfers.summary import said_step
from nanoclaw.flows.transfers.summary_prompt import read_summary
from nanoclaw.memory.files import MemoryFiles

AT = datetime(2026, 11, 17, tzinfo=UTC)


@given(st.text())
def test_every_line_of_a_quote_is_quoted(text: str) -> None:
    assert all(line.startswith(">") for line in quoted(text).splitlines())
    assert len(in_line(text, 80).splitlines()) <= 1
    assert not in_line(text, 80).startswith(("#", ">", "-", "```"))


@given(
    st.dictionaries(
        st.sampled_from(["company/identity", "product/spec", "brand/voice", "market/channels"]), st.text()
    ),
    st.integers(0, 3000),
)
def test_shared_texts_are_beginnings_that_fit(texts: dict[str, str], most: int) -> None:
    kept = shared(texts, list(texts), most)
    assert sum(len(text.encode()) for text in kept.values()) <= most
    assert all(texts[name].startswith(text) for name, text in kept.items())


def test_a_cut_ends_with_a_paragraph_where_one_is_near() -> None:
    text = f"{'a' * 60}\n\n{'b' * 60}"
    assert cut(text, 80) == "a" * 60
    assert cut("цілком", 12) == "цілком"
    assert cut("цілком", 11) == "цілко"


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ("We are at step 3 of 7 now", (3, 7, "")),
        ("Крок 2 з 5: порівняння", (2, 5, "")),
        ("step 9 of 7", None),
        ("1. ✅ find\n2. [x] sort\n3. write it\n4. send", (3, 4, "write it")),
        ("1. one\n2. two", None),
        ("2. ✅ one\n3. two", None),
        ("nothing", None),
    ],
)
def test_the_step_is_what_the_agent_said_last(said: str, step: tuple[int, int, str] | None) -> None:
    messages = [
        SaidLine(id="o_1", text=said, at=AT),
        SaidLine(id="m_2", text="step 1 of 2, says a person", at=AT, person_id="p"),
    ]
    found = said_step(messages)
    assert (found and (found.number, found.of, found.what)) == step


_NONE = [
    "",
    "no JSON",
    "{",
    "[1]",
    '{"a":' * 9,
    *(f'{{"task": {each}}}' for each in ('""', "1", '"t", "done": "x"')),
]


@pytest.mark.parametrize("said", _NONE)
def test_a_summary_that_is_none_is_not_believed(said: str) -> None:
    assert read_summary(said) is None


def test_a_summary_is_bounded() -> None:
    said = {"task": "t" * 5000, "done": ["d"] * 100, "step": {"number": 5, "of": 4}}
    found = read_summary(json.dumps(said))
    assert found
    assert (len(found.task), len(found.done), found.step) == (600, 12, None)


def test_the_snapshot_has_lines_as_they_are_written_and_no_more_than_that(tmp_path: Path) -> None:
    folder = tmp_path / "companies" / "demo" / "memory"
    folder.mkdir(parents=True)
    origin = {"trust": "hearsay", "via": "import", "person": "telegram:5", "chat": "c_1", "message": "m_1"}
    line = {"timestamp": "2026-01-01T00:00:00Z", "provenance": origin, "note": ["more: hunter2"]}
    lines = [
        {**line, "id": "fact_1", "fact": "The word is hunter2.", "domain": "x"},
        {**line, "id": "fact_2", "fact": "long" * 2000, "source": "y" * 1000},
        {**line, "id": "fact_3", "fact": "Not asked for."},
    ]
    (folder / "facts.jsonl").write_text("torn {\n" + "".join(json.dumps(each) + "\n" for each in lines))
    wanted = [
        Entry(company="demo", id=each, kind=EntryKind.FACT, text="", at=AT, file="memory/facts.jsonl")
        for each in ("fact_gone", "fact_2", "fact_1")
    ]
    made = snapshot(MemoryFiles(tmp_path), "demo", wanted, lambda text: text.replace("hunter2", "[secret]"))
    [kept] = map(json.loads, made.splitlines())
    assert (kept["id"], kept["fact"], kept["note"]) == ("fact_1", "The word is [secret].", ["more: [secret]"])
    assert kept["provenance"] == {"trust": "hearsay", "via": "import"}


def test_guests_have_no_names() -> None:
    scrubbed: list[str] = []

    def scrub(text: str) -> str:
        scrubbed.append(text)
        return text

    name = speaker({"p_2": 1}, "en", scrub)
    said = [
        SaidLine(id="m", text="", at=AT, sender=who, person_id=by)
        for who, by in (("Olena", "p_1"), ("Guest", "p_2"))
    ]
    assert [name(each) for each in (*said, *said, SaidLine(id="o", text="", at=AT))] == [
        *("Olena", "guest 1", "Olena", "guest 1"),
        "assistant",
    ]
    assert scrubbed == ["Olena"]
