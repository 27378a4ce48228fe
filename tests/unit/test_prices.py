"""Prices come from a table and from the owner, who wins; an unknown one never spends."""

import socket
import subprocess
import sys

import genai_prices
import pytest

from nanoclaw.domain.errors import BadSettings, ModelRefused
from nanoclaw.domain.money import Usage
from nanoclaw.gateway import tokens
from nanoclaw.gateway.prices import Prices

pytestmark = pytest.mark.capability("J1", "J3")

MILLION = 1_000_000


def test_a_known_model_costs_what_its_vendor_asks() -> None:
    usage = Usage(input=MILLION, output=MILLION, cache_read=MILLION, cache_write=MILLION)
    assert Prices().price_of("claude-haiku-4-5", usage) == 1_000_000 + 5_000_000 + 100_000 + 1_250_000


@pytest.mark.parametrize("model", ["claude-haiku-4-5", "anthropic:claude-haiku-4-5"])
def test_a_model_may_be_named_with_or_without_its_vendor(model: str) -> None:
    assert Prices().price_of(model, Usage(input=MILLION)) == 1_000_000


@pytest.mark.parametrize(
    "model", ["openai-chat:gpt-5", "google-gla:gemini-2.5-pro", "groq:llama-3.3-70b-versatile"]
)
def test_other_names_of_a_vendor_are_understood(model: str) -> None:
    assert Prices().price_of(model, Usage(input=1000, output=1000)) > 0


@pytest.mark.parametrize(
    "model", ["claude-sonnet-5", "claude-sonnet-4-5", "gpt-5", "gemini-2.5-pro", "mistral-large"]
)
def test_prices_are_those_of_the_table(model: str) -> None:
    usage = genai_prices.Usage(
        input_tokens=301_000, cache_read_tokens=50_000, cache_write_tokens=1_000, output_tokens=777
    )
    micros = genai_prices.calc_price(usage, model).total_price * 1_000_000
    ours = Prices().price_of(model, Usage(input=250_000, cache_read=50_000, cache_write=1_000, output=777))
    assert 0 <= ours - micros < 1


def test_the_smallest_call_costs_something() -> None:
    assert Prices().price_of("claude-haiku-4-5", Usage(cache_read=1)) == 1


@pytest.mark.parametrize("model", ["nonsense", "anthropic:nonsense", "vllm:llama3", "nobody:gpt-5"])
def test_an_unknown_price_is_refused(model: str) -> None:
    with pytest.raises(ModelRefused, match="price-unknown") as refused:
        Prices().price_of(model, Usage(input=1))
    assert refused.value.values == {"model": model}


def test_a_table_without_a_price_for_answers_does_not_make_them_free() -> None:
    with pytest.raises(ModelRefused, match="price-unknown"):
        Prices().price_of("openai:text-embedding-3-small", Usage(input=1, output=1))


def test_a_model_on_the_owners_machine_is_free() -> None:
    assert Prices().most("ollama:llama3", 1000, 1000) == 0
    assert Prices().most("local:anything", 1000, 1000) == 0


def test_the_owners_price_wins() -> None:
    prices = Prices({"claude-haiku-4-5": "2/3", "vllm:llama3": "0/0", "openai:mine": " 0.5 / 1.5 "})
    assert prices.price_of("claude-haiku-4-5", Usage(input=10, cache_read=10, output=10)) == 20 * 2 + 10 * 3
    assert prices.price_of("anthropic:claude-haiku-4-5", Usage(input=10)) == 20
    assert prices.price_of("vllm:llama3", Usage(input=10)) == 0
    assert prices.price_of("openai:mine", Usage(input=3)) == 2


@pytest.mark.parametrize(
    "written", ["", "1", "1/", "1/2/3", "a/b", "-1/2", "nan/1", "1/inf", "1e9/1", "1,5/2"]
)
def test_a_price_that_is_none_is_refused(written: str) -> None:
    with pytest.raises(BadSettings, match="price-unreadable"):
        Prices({"mine": written})


def test_the_most_that_a_call_can_cost_counts_the_cache() -> None:
    most = Prices().most("claude-haiku-4-5", MILLION, 100)
    assert most >= Prices().price_of("claude-haiku-4-5", Usage(cache_write=MILLION, output=100))
    assert most >= Prices().price_of("claude-haiku-4-5", Usage(input=MILLION, output=100))


def test_prices_never_go_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert Prices().price_of("claude-opus-5", Usage(input=1)) > 0


def test_the_table_is_loaded_only_when_it_is_needed() -> None:
    program = "import sys, nanoclaw.gateway.prices as p; p.Prices(); sys.exit('genai_prices' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_picture_is_reserved_as_a_picture_and_not_as_text() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "a" * 3_000_000}}
    result = {"type": "tool_result", "content": [picture]}
    body = {"messages": [{"role": "user", "content": [picture, result]}]}
    assert 10_000 < tokens.at_most(body, 6_000_100) < 12_000
    small = {"type": "image", "source": {"type": "base64", "data": "a" * 500}}
    within = {"type": "document", "source": {"type": "content", "content": [small]}}
    assert tokens.at_most({"messages": [{"role": "user", "content": [within]}]}, 600) > 5_000
    pages = {"type": "document", "source": {"type": "base64", "data": "a" * 500}}
    assert tokens.at_most({"messages": [{"role": "user", "content": [pages]}]}, 600) == 1_000_000
    assert tokens.at_most({"messages": [{"role": "user", "content": "🐝" * 75_000}]}, 300_060) > 300_060


def test_searches_of_the_web_are_paid_for_too() -> None:
    plain = Usage(input=1000, output=100)
    searched = Usage(input=1000, output=100, searches=3)
    prices = Prices()
    assert prices.price_of("claude-sonnet-5", searched) - prices.price_of("claude-sonnet-5", plain) == 30_000


def test_the_table_is_not_kept_where_collections_would_stop_the_host_to_look_at_it() -> None:
    script = (
        "import gc, genai_prices; from nanoclaw.gateway.prices import Prices; from nanoclaw.domain.money import Usage;"
        "gc.freeze(); Prices().price_of('claude-haiku-4-5', Usage(input=1)); print(len(gc.get_objects()))"
    )
    looked_at = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(looked_at.stdout) < 1000
