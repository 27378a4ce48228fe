"""Estimates what a batch will cost at the prices of this workspace: half price, with a cached system prompt."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from nanoclaw.domain.money import Usage
from nanoclaw.durable import batch_history
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.prompts import Prompts
from nanoclaw.flows.batches.topics import LOT
from nanoclaw.flows.batches.wanted import DEMO, WantedBatch
from nanoclaw.gateway import tokens
from nanoclaw.gateway.model_calls import ANTHROPIC
from nanoclaw.gateway.prices import Prices, split

_ASCII_PER_TOKEN, _OTHERS_PER_TOKEN = 4, 2
_PROMPT = 160  # tokens of a prompt besides its topic
_TOPIC = 40
_USUAL_OUTPUT = (0.15, 0.5)  # share of the longest answer, if no earlier text is known
_FEWEST_KNOWN = 5
_HITS = 0.3  # the least share of requests whose system prompt comes from the cache, as the vendor sees it in batches
_LEAST_CACHED = {"sonnet": 1024}  # tokens; a shorter system prompt is not cached
_LEAST_CACHED_OF_OTHERS = 4096
_LOT_INPUT, _LOT_OUTPUT = 6000, 1500  # tokens of one call that finds topics
_GRADE_INPUT, _GRADE_OUTPUT = 300, 15


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchEstimate:
    """In micros. `fits` is how many texts the budget can pay for if each costs the most it can."""

    items: int
    low: int
    high: int
    alone: int  # sent one by one, without batch and cache
    most: int  # what is set aside when it starts
    left: int | None  # of the budget; None if there is no limit
    fits: int

    @property
    def is_free(self) -> bool:
        return self.most == 0 and self.high == 0

    def row(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchEstimates:
    """`left` is what a company may still spend now; `small` names the model that finds topics and grades."""

    prices: Prices
    prompts: Prompts
    small: str
    left: Callable[[Tx, str], int | None]

    def of(self, tx: Tx, wanted: WantedBatch) -> BatchEstimate:
        """Raises ModelRefused when the price of the model is not known."""
        count = wanted.count
        if wanted.model == DEMO:
            return BatchEstimate(items=count, low=0, high=0, alone=0, most=0, left=None, fits=count)
        system_prompt = self.prompts.system_for(wanted.company, wanted.skill, wanted.channel)
        system = tokens_in(system_prompt)
        topic = _mean([tokens_in(each) for each in wanted.topics]) if wanted.topics else _TOPIC
        prompt = _PROMPT + topic + tokens_in(wanted.subject)
        short, long = self._outputs(tx, wanted)
        besides = self._besides(wanted, long)
        alone = self.prices.price_of(
            wanted.model, Usage(input=count * (system + prompt), output=count * (short + long) // 2)
        )
        is_batch = has_batches(wanted.model)
        longest = tokens.of_text(_bytes_of(system_prompt, wanted), with_tools=False)
        each = self.prices.most(wanted.model, longest, wanted.max_tokens, batch=is_batch)
        left = self.left(tx, wanted.company)
        room = count if left is None else max(0, left - besides) // max(1, each)
        return BatchEstimate(
            items=count,
            low=self._cost(wanted.model, count, 1, system, prompt, short) + besides,
            high=self._cost(wanted.model, count, math.ceil(count * (1 - _HITS)), system, prompt, long)
            + besides,
            alone=alone + besides,
            most=each * count + besides,
            left=left,
            fits=min(count, room),
        )

    def _cost(self, model: str, count: int, writes: int, system: int, prompt: int, output: int) -> int:
        """`writes` is how many requests find no system prompt in the cache."""
        least = next((size for name, size in _LEAST_CACHED.items() if name in model), _LEAST_CACHED_OF_OTHERS)
        if system < least:
            used = Usage(input=count * (system + prompt), output=count * output)
        else:
            used = Usage(
                input=count * prompt,
                cache_write=writes * system,
                cache_read=(count - writes) * system,
                output=count * output,
            )
        return self.prices.price_of(model, used, batch=has_batches(model))

    def _outputs(self, tx: Tx, wanted: WantedBatch) -> tuple[int, int]:
        """The lengths of shorter and longer earlier texts of this skill, or a share of what is allowed."""
        known = batch_history.lengths(tx, wanted.company, wanted.skill, wanted.language)
        if len(known) < _FEWEST_KNOWN:
            low, high = (max(1, round(wanted.max_tokens * share)) for share in _USUAL_OUTPUT)
            return low, high
        letters = _ASCII_PER_TOKEN if wanted.language == "en" else _OTHERS_PER_TOKEN
        shorter, longer = known[len(known) // 4], known[len(known) * 3 // 4]
        return math.ceil(shorter / letters), math.ceil(longer / letters)

    def _besides(self, wanted: WantedBatch, output: int) -> int:
        """The cost of the ordinary calls: finding topics that nobody gave, and grading."""
        cost = 0
        if wanted.topics is None:
            lots = math.ceil(wanted.count / LOT)
            used = Usage(input=lots * _LOT_INPUT, output=min(wanted.count * 2 * _TOPIC, lots * _LOT_OUTPUT))
            cost += self.prices.price_of(self.small, used)
        if wanted.least_grade is not None:
            used = Usage(input=wanted.count * (output + _GRADE_INPUT), output=wanted.count * _GRADE_OUTPUT)
            cost += self.prices.price_of(self.small, used)
        return cost


def has_batches(model: str) -> bool:
    """With other vendors each text is an ordinary call."""
    return split(model)[0] in ("", ANTHROPIC)


def tokens_in(text: str) -> int:
    """An estimate: Ukrainian takes more tokens per letter than English."""
    ascii_letters = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_letters / _ASCII_PER_TOKEN + (len(text) - ascii_letters) / _OTHERS_PER_TOKEN)


def _bytes_of(system_prompt: str, wanted: WantedBatch) -> int:
    """About as many as its longest request has: money is set aside by them."""
    topics = [len(topic.encode()) for topic in wanted.topics or ()] or [_TOPIC * _ASCII_PER_TOKEN]
    said = len(system_prompt.encode()) + len(wanted.subject.encode())
    return said + max(topics) + _PROMPT * _ASCII_PER_TOKEN


def _mean(numbers: list[int]) -> int:
    return math.ceil(sum(numbers) / len(numbers)) if numbers else 0
