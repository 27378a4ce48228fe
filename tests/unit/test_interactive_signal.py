"""Nobody sees the signal, however it is written and wherever it is cut; everybody who asked for JSON gets it."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.interactive_signal import read_signal, shown_of

SIGNAL = {
    "interactive": True,
    "goal": "fix-auth",
    "description": "fix-the-auth-bug",
    "questions": [{"id": "q1", "question": "Which {bug}?", "options": ["Login", "Log-out"]}],
}
LATE = {"why": "unsure", "questions": SIGNAL["questions"], "interactive": True}
FENCED = f"```json\n{json.dumps(SIGNAL, indent=2)}\n```"


def growing(text: str) -> list[str]:
    """What is shown after each letter."""
    return [shown_of(text[:length]) for length in range(len(text) + 1)]


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (json.dumps(SIGNAL), ""),
        (json.dumps(SIGNAL, indent=2), ""),
        (FENCED, ""),
        (f"~~~\n{json.dumps(SIGNAL)}\n~~~", ""),
        (f"`{json.dumps(SIGNAL)}`", ""),
        (f"Let me ask first.\n\n{FENCED}\n\nThank you!", "Let me ask first.\n\nThank you!"),
        (
            f"I read `a{{b}}`.\n```js\nx = {{}}\n```\nNow:\n{FENCED}",
            "I read `a{b}`.\n```js\nx = {}\n```\nNow:",
        ),
        (f"{json.dumps(SIGNAL)}\n\n{FENCED}", ""),
        ('{"a": 1}\n' * 200 + FENCED, ('{"a": 1}\n' * 200).strip()),
    ],
)
def test_the_signal_is_never_shown(text: str, prose: str) -> None:
    found = read_signal(text)
    assert found
    assert found.prose == prose
    assert found.questionnaire.questions[0].question == "Which {bug}?"
    for shown in growing(text)[-500:]:
        assert prose.startswith(shown.rstrip())
        assert "interactive" not in shown
        assert "question" not in shown
    assert shown_of(text) == prose


def test_a_signal_that_says_so_late_is_not_shown_in_the_end() -> None:
    found = read_signal(json.dumps(LATE))
    assert found
    assert found.prose == shown_of(json.dumps(LATE)) == ""


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Ann", "items": [{"description": "a chair"}]}',
        '```json\n{"interactive": false, "questions": ["Why?"]}\n```',
        '{"interactive": true, "questions": []}',
        '{"interactive": "true", "questions": ["Why?"]}',
        f'{{"example": {json.dumps(SIGNAL)}}}',
        "{'interactive': True, 'questions': ['Why?']}",
        '{"interactive": true, "questions": ["Why?"] and so on, as I said before',
        "A set {1, 2}, a block { return 1; } and `{}`.",
        "```python\nprint({})\n```",
        "~ about 5 %, `code` and ``two`` ticks",
    ],
)
def test_other_json_is_an_answer_like_any_other(text: str) -> None:
    assert read_signal(text) is None
    assert shown_of(text) == text


def test_other_json_is_shown_while_it_grows() -> None:
    text = '{"name": "Ann", "items": [{"description": "a chair", "interactive": false}, {"goal": "x"}]}'
    for shown, length in zip(growing(text), range(len(text) + 1), strict=True):
        assert shown == text[:length] or length <= len('{"')
    broken = '{"interactive": true, and then it is prose'
    assert shown_of(broken) == broken
    endless = json.dumps({"goal": "x" * 70_000})[:-1]
    assert shown_of(endless) == endless


@given(st.text(alphabet='{}[]"`~:,\\ \ninteractv\u0456', max_size=60), st.integers(0, 60))
def test_no_text_raises_and_nothing_is_made_up(text: str, length: int) -> None:
    read_signal(text)
    shown = shown_of(text[:length])
    assert text.startswith(shown.rstrip()) or "interactive" in text


@pytest.mark.attack
@pytest.mark.parametrize("mark", ["`", "~"])
def test_an_answer_full_of_code_marks_takes_no_longer_than_any_other(mark: str) -> None:
    begun = time.thread_time()
    marks = mark * 200_000
    assert shown_of(f'{marks}! {{"interactive').startswith(marks)
    signal = read_signal(f'{marks}! {{"interactive": true, "questions": ["One?"]}}')
    assert signal
    assert signal.prose == f"{marks}!"
    assert time.thread_time() - begun < 5  # seconds of work; it took half an hour
