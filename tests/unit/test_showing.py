"""How a tool call is shown to a person."""

from typing import Any

import pytest

from nanoclaw.runtimes.tool_lines import shown_call


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"command": "ls -la\n/work", "timeout": 5}, "ls -la /work"),
        (
            {"question": "Deploy?", "options": [{"id": "yes"}, {"id": "no"}]},
            "question: Deploy?, options: id: yes, id: no",
        ),
        ({"count": 3, "deep": {"a": None}}, "count: 3, deep: a: None"),
        ({}, ""),
    ],
)
def test_a_call_is_shown_in_words_and_not_as_json(arguments: dict[str, Any], shown: str) -> None:
    assert shown_call(arguments) == shown
