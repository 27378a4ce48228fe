"""What tokens cost: a maintained table that comes with the packages, and the owner's own prices, which win.

The table is never fetched from the network: a price changes when the packages are updated, or the owner changes it.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

from nanoclaw.domain.errors import BadSettings, ModelRefused
from nanoclaw.domain.money import Usage
from nanoclaw.gateway.quotes import PriceQuote

_FREE = ("ollama", "local")  # vendors that are a program on the owner's own machine
_UNITS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
_BATCH = Decimal("0.5")  # share of the single-call price that Anthropic and OpenAI charge for batches
_SEARCH = 10_000  # micros per web search; the price table does not know it
_MOST_DOLLARS = Decimal(100_000)  # per million tokens; more is a typo


class Prices:
    """`overrides` is the section `[prices]`: dollars per million tokens in and out, as `"my-model" = "1.0/5.0"`."""

    def __init__(self, overrides: Mapping[str, str] | None = None) -> None:
        self._own = {model: _parse(model, written) for model, written in (overrides or {}).items()}

    def price_of(self, model: str, usage: Usage, *, batch: bool = False) -> int:
        """In micros, rounded up. Tokens of a batch cost half; searches cost the same."""
        tokens = self._tokens(model, usage)
        return _whole(tokens * _BATCH if batch else tokens) + usage.searches * _SEARCH

    def _tokens(self, model: str, usage: Usage) -> Decimal:
        """The cost of the tokens: a dollar per million tokens is a micro per token."""
        vendor, name = split(model)
        own = self._own.get(model) or self._own.get(name)
        everything = usage.input + usage.cache_read + usage.cache_write
        if own is not None:
            return own[0] * everything + own[1] * usage.output
        if vendor in _FREE:
            return Decimal(0)
        prices, flat = _rates(vendor, name, int(time.time()) // 60)
        if prices.input_mtok is None or prices.output_mtok is None:
            raise ModelRefused("price-unknown", model=model)
        if flat is not None:
            # The same as below for the pricing of nearly every model, in a hundredth of the time.
            into, out, read, write = flat
            paid: Decimal = (
                into * usage.input + read * usage.cache_read + write * usage.cache_write + out * usage.output
            )
            return paid
        counted = _table().Usage(
            input_tokens=everything,
            cache_read_tokens=usage.cache_read,
            cache_write_tokens=usage.cache_write,
            output_tokens=usage.output,
        )
        return Decimal(prices.calc_price(counted)["total_price"] * 1_000_000)

    def most(
        self, model: str, input_tokens: int, max_output: int, searches: int = 0, *, batch: bool = False
    ) -> int:
        """The most that a call can cost. Tokens that the vendor writes to its cache cost more than others."""
        usages = (
            Usage(input=input_tokens, output=max_output, searches=searches),
            Usage(cache_write=input_tokens, output=max_output, searches=searches),
        )
        return max(self.price_of(model, usage, batch=batch) for usage in usages)

    def quote(
        self, model: str, input_tokens: int, max_output: int, *, least: int, searches: int = 0
    ) -> PriceQuote:
        """From no answer to the longest one; fewer than `least` tokens are of no use."""
        return PriceQuote(
            input=self.most(model, input_tokens, 0, searches),
            whole=self.most(model, input_tokens, max_output, searches),
            least=min(least, max_output),
            most=max_output,
        )


def split(model: str) -> tuple[str, str]:
    """`vendor:name` split; the vendor of a bare name is empty."""
    vendor, colon, name = model.partition(":")
    return (vendor, name) if colon else ("", model)


def _parse(model: str, written: str) -> tuple[Decimal, Decimal]:
    try:
        input_price, output_price = (Decimal(part.strip()) for part in written.split("/"))
    except (ValueError, InvalidOperation) as error:
        raise BadSettings("price-unreadable", model=model, written=written) from error
    for price in (input_price, output_price):
        if not price.is_finite() or not 0 <= price <= _MOST_DOLLARS:
            raise BadSettings("price-unreadable", model=model, written=written)
    return input_price, output_price


def _whole(micros: Decimal) -> int:
    return int(micros.to_integral_value(ROUND_CEILING))


@cache
def _table() -> Any:
    return import_module("genai_prices")  # takes a second


@lru_cache(maxsize=100)
def _rates(vendor: str, name: str, minute: int) -> tuple[Any, tuple[Decimal, ...] | None]:
    """The prices in a minute, because some change with the time of day; and each rate, if it is the same for
    any number of tokens. Every call asks several times.
    """
    prices = _found(vendor, name).get_prices(datetime.fromtimestamp(minute * 60, UTC))
    flat = [getattr(prices, unit) for unit in _UNITS]
    if prices.requests_kcount is not None or not all(
        rate is None or isinstance(rate, Decimal) for rate in flat
    ):
        return prices, None
    return prices, tuple(flat[0] if rate is None else rate for rate in flat)


@lru_cache(maxsize=1000)
def _known(vendor: str, name: str) -> Any:
    """What the table says about a model, if anything. A host asks about a few: the table itself, 3 MiB, is
    read for each new one (20 ms) and not kept.
    """
    snapshots = import_module("genai_prices.data_snapshot")
    spec = find_spec("genai_prices.data")
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(snapshots.__name__)
    data = module_from_spec(spec)
    spec.loader.exec_module(data)
    snapshot = snapshots.DataSnapshot(providers=data.providers, from_auto_update=False)
    # The library that talks to the vendors has several names for one: openai-chat, google-gla.
    for provider in [vendor, vendor.partition("-")[0]] if vendor else [None]:
        with suppress(LookupError):
            return snapshot.find_provider_model(name, None, provider, None)[1]
    return None


def _found(vendor: str, name: str) -> Any:
    try:
        found = _known(vendor, name)
    except ModuleNotFoundError as error:  # it is installed with the first key
        raise ModelRefused("price-unknown", model=f"{vendor}:{name}" if vendor else name) from error
    if found is None:
        raise ModelRefused("price-unknown", model=f"{vendor}:{name}" if vendor else name)
    return found
