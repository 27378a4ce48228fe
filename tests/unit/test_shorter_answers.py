"""Requests made to fit what is paid for, and what is whole of an answer that the budget cut."""

import json
from typing import Any

import pytest

from nanoclaw.domain.money import Usage
from nanoclaw.gateway.cut_answers import WholeParts, kept_of
from nanoclaw.gateway.fitted_request import fitted
from nanoclaw.gateway.prices import Prices
from nanoclaw.gateway.quotes import Quote
from nanoclaw.testing import anthropic_api
from nanoclaw.testing.model_parts import Asked, Full, Part, Reply, Say, Think, Use

BODY: dict[str, Any] = {"model": "opus", "max_tokens": 16_000, "messages": []}
ASKED = Asked(path="/v1/messages", query="", headers={}, body=BODY)


@pytest.mark.parametrize(
    ("given", "model", "tokens", "changed"),
    [
        ({}, "opus", 16_000, {}),
        ({}, "anthropic:haiku", 2000, {"model": "haiku", "max_tokens": 2000}),
        # Thoughts are part of the answer: half of it is left for what people read.
        (
            {"thinking": {"type": "enabled", "budget_tokens": 8000}},
            "opus",
            4000,
            {"max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
        ),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 8000}},
            "opus",
            9000,
            {"max_tokens": 9000, "thinking": {"type": "enabled", "budget_tokens": 8000}},
        ),
        ({"thinking": {"type": "enabled", "budget_tokens": 8000}}, "opus", 2000, {"max_tokens": 2000}),
        # Another model may not know these words.
        (
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
            "haiku",
            16_000,
            {"model": "haiku"},
        ),
        (
            {
                "thinking": {"type": "adaptive"},
                "context_management": {"edits": [{"type": "clear_thinking_20251015"}, {"type": "other"}]},
            },
            "haiku",
            16_000,
            {"model": "haiku", "context_management": {"edits": [{"type": "other"}]}},
        ),
    ],
)
def test_a_request_is_made_to_fit(
    given: dict[str, Any], model: str, tokens: int, changed: dict[str, Any]
) -> None:
    assert fitted(BODY | given, model, tokens) == BODY | changed


USE, HALF = Use("bash", {"command": "echo one"}), Use("bash", {"command": "echo two, and more of it"})


@pytest.mark.parametrize(
    ("parts", "kept", "stop"),
    [
        ([Say("one two"), USE], ["text", "tool_use"], "tool_use"),
        ([Say("one two three")], ["text"], "end_turn"),
        ([Say("one two three"), Full()], ["text"], "end_turn"),
        ([Say("one"), HALF, Full()], ["text"], "end_turn"),
        ([USE, HALF, Full()], ["tool_use"], "tool_use"),
        ([USE, Say("one two three"), Full()], ["tool_use", "text"], "tool_use"),
        # A client expects some answer.
        ([HALF, Full()], ["text"], "end_turn"),
        ([Think("hm hm hm"), Full()], ["thinking", "text"], "end_turn"),
    ],
)
@pytest.mark.parametrize("size", [1, 37, 100_000])
def test_half_a_tool_call_is_not_passed_on(parts: list[Part], kept: list[str], stop: str, size: int) -> None:
    reply = Reply(parts=tuple(parts))
    is_cut = Full() in parts
    whole = anthropic_api.whole(ASKED, reply)
    told = kept_of(json.dumps(whole).encode())
    answer = json.loads(told) if told else whole
    assert (told is not None) == is_cut
    assert ([block["type"] for block in answer["content"]], answer["stop_reason"]) == (kept, stop)

    stream = b"".join(data for _, data in anthropic_api.events(ASKED, reply))
    reader = WholeParts()
    passed = (
        b"".join(reader.feed(stream[at : at + size]) for at in range(0, len(stream), size)) + reader.end()
    )
    events = [json.loads(line[6:]) for line in passed.decode().splitlines() if line.startswith("data: ")]
    begun = [event for event in events if event["type"] == "content_block_start"]
    assert [event["content_block"]["type"] for event in begun] == kept
    assert [event["index"] for event in begun] == list(range(len(kept)))
    [end] = [event for event in events if event["type"] == "message_delta"]
    assert (end["delta"]["stop_reason"], reader.is_cut) == (stop, is_cut)
    assert end["usage"]["output_tokens"] == 5
    if not is_cut:
        assert passed == stream


def test_a_quote_never_promises_more_than_the_vendor_asks_for() -> None:
    prices = Prices({"m": "0.37/1.13"})
    for most in (1, 7, 1000, 15_999):
        quote = prices.quote("m", 333, most, least=1)
        for tokens in {0, 1, most // 3, most}:
            assert quote.price(tokens) >= prices.most("m", 333, tokens)
            assert quote.tokens_for(quote.price(tokens)) >= tokens
        assert quote.price(most) == prices.most("m", 333, most)
        assert quote.tokens_for(quote.input - 1) == -1
    assert Quote.fixed(5).tokens_for(5) == 0


def test_tokens_of_a_batch_cost_half() -> None:
    prices = Prices({"m": "1/10"})
    usage = Usage(input=100, output=10, searches=1)
    assert prices.price_of("m", usage) == 10_200
    assert prices.price_of("m", usage, batch=True) == 10_100
    assert prices.most("m", 100, 10, batch=True) == 100
