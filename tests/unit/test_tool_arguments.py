"""Whatever stands in the arguments of a tool, they are parsed or refused with a sentence, never with a failure."""

from typing import Any

import pytest

from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.tool_requests import BadToolRequest, read_arguments, understand
from nanoclaw.domain.tools import TOOLS, Tool

pytestmark = [pytest.mark.capability("A17"), pytest.mark.attack]

NEEDED = {
    "text": "hi",
    "name": "sales",
    "prompt": "dig",
    "schedule_type": "cron",
    "schedule_value": "0 8 * * 1",
    "task_id": 1,
    "action": "run",
    "question": "?",
    "query": "price",
    "entries": [{"text": "The price is 690"}],
    "to": "editor",
    "content": "shorten it",
    "file": "product/pricing",
    "summary": "690 instead of 490",
}
ODD: tuple[Any, ...] = (
    *("", " \n", "x" * 60_000, "a\nb", "\ud800", "x\x00y", 7, -1, 10**30, 1.5, float("nan"), True, None),
    *([], [1], [""], [{}], ["x"] * 30, {}, {"id": 1}, {"a": {"b": [None]}}),
)


def refusal(tool: Tool, given: dict[str, Any]) -> str | None:
    try:
        assert read_arguments(tool, given).plain().keys() <= given.keys()
    except BadToolRequest as refused:
        return str(refused)
    return None


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_every_value_in_every_field_is_taken_or_named_with_what_is_allowed(tool: Tool) -> None:
    known = tool.takes.model_fields
    needed = {key: value for key, value in NEEDED.items() if key in known}
    needed |= {"path": "a.txt"} if tool.name in ("send_file", "read_document") else {}
    needed |= (
        {"file": "product/pricing", "summary": "690", "text": "x"} if tool.name == "propose_context" else {}
    )
    needed |= {"why": "It is big"} if tool.name == "propose_transfer" else {}
    for name in known:
        for value in ODD:
            said = refusal(tool, {**needed, name: value})
            assert said is None or (name in said and len(said) < 400)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_what_is_given_comes_out_as_it_was_written(tool: Tool) -> None:
    needed = {name: value for name, value in NEEDED.items() if name in tool.takes.model_fields}
    given = needed or {name: "a" for name in ("path", "why") if name in tool.takes.model_fields}
    assert read_arguments(tool, given).plain() == given


def test_a_null_within_the_context_stays() -> None:
    given = {
        "question": "?",
        "context": {"draft": None, "parts": [None]},
        "options": [{"id": "a", "label": "A"}],
    }
    assert read_arguments(TOOLS["request_human"], given).plain() == given


@pytest.mark.parametrize("field", ["arguments", "at"])
def test_what_is_nested_too_deep_is_refused(field: str) -> None:
    """Otherwise reading the folder would crash, and nothing in there be answered any more."""
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"question": "?", "context": deep}
    body = {"tool": "request_human", "arguments": {"question": "?"}, field: deep}
    with pytest.raises(BadToolRequest, match="nested too deep"):
        understand(RequestKind.HITL, "q1", SessionId("s_1"), body)
