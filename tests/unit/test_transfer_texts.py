"""What a package is made of: quotes that nothing gets out of, fair parts of the room, and the step of the work."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.durable.session_record import Said
from nanoclaw.flows.transfers.bundle import shared
from nanoclaw.flows.transfers.quoting import cut, in_line, quoted
from nanoclaw.flows.transfers.summary import said_step
from nanoclaw.flows.transfers.summary_prompt import read_summary


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
    at = datetime(2026, 11, 17, tzinfo=UTC)
    messages = [
        Said(id="o_1", text=said, at=at),
        Said(id="m_2", text="step 1 of 2, says a person", at=at, person_id="p"),
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
