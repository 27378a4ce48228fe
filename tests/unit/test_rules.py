"""What a request from a box may ask of the vendor."""

from typing import Any

import pytest

from nanoclaw.gateway.envelope import BadBody, upwards
from nanoclaw.gateway.model_calls import MOST_SEARCHES
from nanoclaw.gateway.rules import searches, tidy

pytestmark = pytest.mark.capability("A18")


def body(**more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}], **more}


@pytest.mark.parametrize("name", ["mcp_servers", "container", "speed", "service_tier", "whatever_comes_next"])
def test_what_would_reach_out_or_cost_more_is_left_out(name: str) -> None:
    asked = body(**{name: [{"url": "https://evil.example.com"}]})
    tidy(asked, web_search=True)
    assert asked == body()


def test_only_tools_that_the_box_itself_carries_out_are_kept() -> None:
    own = [
        {"name": "Bash", "input_schema": {}},
        {"type": "custom", "name": "x"},
        {"type": "bash_20250124", "name": "b"},
    ]
    theirs = [
        {"type": f"{kind}_20260101", "name": kind} for kind in ("web_fetch", "code_execution", "web_search")
    ]
    asked = body(tools=[*own, *theirs])
    tidy(asked, web_search=False)
    assert asked["tools"] == own
    alone = body(tools=theirs, tool_choice={"type": "any"})
    tidy(alone, web_search=False)
    assert alone == body()


def test_searches_are_kept_where_they_are_wanted_counted_and_bounded() -> None:
    asked = body(tools=[{"type": "web_search_20250305", "name": "web_search", "max_uses": 10_000}])
    tidy(asked, web_search=True)
    assert searches(asked) == MOST_SEARCHES
    assert searches(body()) == 0


@pytest.mark.parametrize("kind", ["url", "file"])
def test_the_vendor_fetches_nothing_for_a_box(kind: str) -> None:
    picture = {"type": "image", "source": {"type": kind, "url": "https://evil.example.com/?secret"}}
    for content in ([picture], [{"type": "tool_result", "tool_use_id": "t", "content": [picture]}]):
        with pytest.raises(BadBody, match="base64"):
            tidy(body(messages=[{"role": "user", "content": content}]), web_search=True)


def test_a_cache_of_an_hour_becomes_one_of_five_minutes() -> None:
    asked = body(system=[{"type": "text", "text": "s", "cache_control": {"type": "ephemeral", "ttl": "1h"}}])
    tidy(asked, web_search=False)
    assert asked["system"][0]["cache_control"] == {"type": "ephemeral"}


def test_betas_that_reach_out_do_not_pass() -> None:
    passed = upwards(
        {"anthropic-beta": "mcp-client-2025-04-04, claude-code-20250219,web-fetch-2025-09-10"}, "k"
    )
    assert passed["anthropic-beta"] == "claude-code-20250219"
